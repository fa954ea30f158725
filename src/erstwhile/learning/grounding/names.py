"""Find the names in a proposal, and compare them with names in other texts.

A name is a word with a capital letter inside a sentence, an identifier, or a label that an
extractor gives. In German every noun has a capital letter, so there only a word after "in", "bei",
"heißt" and the like is a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import groupby, pairwise, product

from erstwhile.learning.grounding.languages import script_of
from erstwhile.learning.grounding.word_lists import any_of, listed, plain, same_names
from erstwhile.search.terms import is_unspaced, stop_terms, terms

_INNER_WORD = re.compile(r"(?<![.!?:\"“„«]\s)(?<!^)(?<![\w'’\"“„«-])[^\W\d_][\w-]*", re.MULTILINE)
_IDENTIFIER = re.compile(
    # ASCII only: 车停在B2层 contains the identifier B2, but is not an identifier as a whole.
    r"(?<![\w.@/-])(?=[\w.@/-]{0,200}[A-Za-z])[\w.@+#/-]{0,200}[\d@_#][\w.@+#/-]*(?<=\w)",
    re.ASCII,
)
_COUNTED = re.compile(r"\d+(?:st|nd|rd|th)?(?:-[^\W\d]{2,}(?:-[^\W\d]+)*)?")
"""A number and what it counts: "24th", "19-jarige", "5-year-old"."""
_GERMAN = re.compile(
    r"\b(?:der|die|das|und|ist|ein|eine|einen|einem|nicht|mag|wohnt|arbeitet|heißt|hat|trinkt|isst|lebt|spricht|möchte|seit|als"
    r"|nutzer\w*|benutzer\w*)\b",
    re.IGNORECASE,
)
_GERMAN_NAME = re.compile(
    r"\b(?:in|bei|nach|aus|von|heißt|namens|mit|zu|an|Firma|Stadt) ([^\W\d_a-zäöü][\w-]*)"
)
_TOKEN = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[A-Z][a-z]*|[a-z]+|\d+")


def names_in(text: str) -> list[str]:
    """Return the names that the text of a proposal has, without words for the speakers."""
    german = script_of(text) == "latin" and _GERMAN.search(text) is not None
    words = _GERMAN_NAME.findall(text) if german else _capitals(text)
    identifiers = (each for each in _IDENTIFIER.findall(text) if not _COUNTED.fullmatch(each))
    return _without_speakers((*words, *identifiers))


def marked_names(text: str) -> list[str]:
    """Return names without capital letters that words beside them mark: 山本 in 山本先生."""
    found = (match[match.lastgroup or 0] for match in _marked().finditer(text))
    return [name for name in found if plain(name) not in listed("speakers")]


def name_labels(labels: Iterable[str]) -> list[str]:
    """Return the labels that are names: they have a capital letter or are in an unspaced script."""
    return _without_speakers(each for each in labels if each != each.lower() or is_unspaced(each))


def has_name(text: str, name: str) -> bool:
    """Return whether a text has all words of a name, with any endings, or its initials."""
    words = _words(text)
    return all(_has_part(text, words, part) for part in _parts(name)) or _has_short_form(
        words, name
    )


def shares_sign(name: str, text: str) -> bool:
    """Return whether a text has a sign of a name in unspaced script; titles do not count."""
    bare = re.sub(any_of(listed("marked", "titles")), "", name)
    return not {*bare}.isdisjoint(text)


@cache
def _marked() -> re.Pattern[str]:
    """Return a pattern for names that are marked by what stands before or after them."""
    titles, after = (any_of(listed("marked", name)) for name in ("titles", "after"))
    before, korean = (any_of(listed("marked", name)) for name in ("before", "korean"))
    surname = f"[{''.join(listed('marked', 'surnames'))}]"
    return re.compile(
        rf"(?P<katakana>[\u30a1-\u30ff]{{2,12}})(?:{titles}|{after})"
        rf"|(?<![\u3400-\u9fff])(?P<kanji>[\u3400-\u9fff]{{2,4}}?)(?:{titles}|{after})"
        rf"|(?P<surname>{surname})(?:{titles})"
        rf"|(?:{before})(?P<han>[\u3400-\u9fff]{{2,4}})(?![\u3400-\u9fff])"
        rf"|(?<!\w)(?P<hangul>[\uac00-\ud7af]{{2,5}}?)(?:{korean})"
    )


def _capitals(text: str) -> Iterator[str]:
    """Yield words with a capital letter; several in a row are one name: New York City."""
    name, end = "", -2
    for found in _INNER_WORD.finditer(text):
        if not found[0][0].isupper() or (not name and _is_common(found[0])):
            continue
        if name and found.start() != end + 1:
            yield name
            name = ""
        name, end = f"{name} {found[0]}".strip(), found.end()
    if name:
        yield name


def _without_speakers(names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if plain(name) not in listed("speakers")]


@lru_cache(maxsize=1_024)
def _is_common(word: str) -> bool:
    return len(word) < 2 or plain(word) in listed("speakers") or {*terms(word)} <= stop_terms()


@lru_cache(maxsize=64)
def _words(text: str) -> frozenset[str]:
    """Return the words of a text, also two in a row as one: Hà Nội is Hanoi."""
    words = [run for token in _TOKEN.findall(plain(text)) for run in _runs(token)]
    return frozenset(words) | frozenset(map("".join, pairwise(words)))


def _parts(name: str) -> Iterator[str]:
    """Yield the parts of a name: its words, and its runs in unspaced scripts."""
    for token in _TOKEN.findall(plain(name)):
        yield from _runs(token)


def _runs(token: str) -> list[str]:
    """Return the runs of a token in spaced and in unspaced scripts: iPhone and を使う."""
    return ["".join(run) for _, run in groupby(token, is_unspaced)]


def _has_part(text: str, words: frozenset[str], part: str) -> bool:
    if is_unspaced(part):
        return part in plain(text)
    if part in words or part in listed("speakers"):
        return True
    if any(part in group and not words.isdisjoint(group) for group in same_names()):
        return True
    return any(_is_form(part, word) or _is_typo(part, word) for word in words)


def _is_form(one: str, two: str) -> bool:
    """Return whether two words may be forms of one: Москве and Москву, Lisboa and Lisbon."""
    shared = 0
    for left, right in zip(one, two, strict=False):
        if left != right:
            break
        shared += 1
    endings = len(one) - shared, len(two) - shared
    if 0 in endings:  # one begins the other
        return shared >= 3 and max(endings) <= 5
    needed = 5 if one.isascii() else 3
    return shared >= needed and max(endings) <= 4


def _is_typo(one: str, two: str) -> bool:
    """Return whether long words differ in one letter, which may be missing or swapped."""
    if min(len(one), len(two)) < 5 or max(len(one), len(two)) < 6 or abs(len(one) - len(two)) > 1:
        return False
    if len(one) == len(two):
        apart = [at for at, pair in enumerate(zip(one, two, strict=True)) if pair[0] != pair[1]]
        return len(apart) == 1 or (len(apart) == 2 and sorted(one) == sorted(two))
    short, long = sorted((one, two), key=len)
    return any(short == long[:at] + long[at + 1 :] for at in range(len(long)))


def _has_short_form(words: frozenset[str], name: str) -> bool:
    """Return whether the words have an abbreviation of the name: NYC, JS, VSCode."""
    pieces = [piece.lower() for piece in _HUMP.findall(name)][:5]
    if len(pieces) < 2:
        return False
    forms = ("".join(form) for form in product(*((piece[0], piece) for piece in pieces)))
    return not words.isdisjoint(forms)
