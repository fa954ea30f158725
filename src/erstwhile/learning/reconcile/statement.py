"""Parse a text as a statement: its parts, their words, and its tense and mood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from erstwhile.core.text import folded
from erstwhile.learning.reconcile.normalise import with_phrases_marked, with_values_marked
from erstwhile.learning.reconcile.words import as_set, listed, phrases, words
from erstwhile.search.terms import terms

_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff"
"""Chinese and Japanese characters. Search knows more unspaced scripts, but no phrases."""
_TOKEN = re.compile(
    rf"⟨\w+⟩|⟪[^⟪⟫]+⟫|[#@][\w.:%€$¥-]*[\w%€$¥]|[{_UNSPACED}]"
    rf"|\+?[^\W{_UNSPACED}]+(?:['_./\\:@+#-]+[^\W{_UNSPACED}]+)*|[,;.!?()、。:]"
)
_BREAK = re.compile(r"[,;.!?()、。:]")
_NAME = re.compile(r"(?<![^\W\d_])[^\W\d_]*[A-Z][\w-]*")
_LONGEST = 600
"""The longest statement. A longer text counts as one word, equal only to itself."""
_TURNED = {"⟨dislike⟩": "⟨like⟩", "⟨avoid⟩": "⟨prefer⟩"}
"""Opinions that are the negation of another opinion."""


@dataclass(frozen=True, slots=True)
class StatementPart:
    """Words that belong together: a clause without its qualifiers, or one qualifier."""

    words: tuple[str, ...]
    negated: bool = False
    harmless: bool = False
    """Whether the part gives only a start time or a reason."""

    @property
    def qualifies(self) -> bool:
        return self.words[0] in _openers("plain")


@dataclass(frozen=True, slots=True)
class Statement:
    """The content of a text, as far as rules can parse it."""

    parts: tuple[StatementPart, ...]
    instead: tuple[tuple[str, ...], ...]
    """The values that the statement replaces."""
    manner: frozenset[str]
    """The mood: empty for a plain statement in the present; else past, ahead, also or passing."""
    current: bool
    """Whether the statement says that it is true now."""
    names: frozenset[str]

    @property
    def content(self) -> tuple[str, ...]:
        return tuple(word for part in self.parts for word in part.words)


def names_in(*texts: str) -> frozenset[str]:
    """Return the words with a capital letter somewhere; they are not stemmed."""
    return frozenset().union(*map(_names, texts))


@lru_cache(maxsize=4096)
def _names(text: str) -> frozenset[str]:
    return frozenset(found.lower() for found in _NAME.findall(text))


def read(text: str, names: frozenset[str]) -> Statement:
    """Parse a text. `names` are not stemmed: Adams is not Adam."""
    runs, manner, current = _parsed(text)
    parts = (_part(run, names) for run in runs if run[0] not in _openers("instead"))
    return Statement(
        parts=tuple(part for part in parts if part.words),
        instead=tuple(_words(run[1:], names) for run in runs if run[0] in _openers("instead")),
        manner=manner,
        current=current,
        names=names,
    )


@lru_cache(maxsize=4096)
def _parsed(text: str) -> tuple[list[list[str]], frozenset[str], bool]:
    """Return runs of tokens, the mood, and whether the text is current. Cached: texts repeat."""
    if len(text) > _LONGEST:
        return [[folded(text)]], frozenset(), False
    plain = with_values_marked(text)
    manner = frozenset(each for each in words()["manner"] if phrases("manner", each).search(plain))
    plain, changes = phrases("current").subn(_kept_negation, plain)
    return list(_runs(_spaced(with_phrases_marked(plain)))), manner, changes > 0


def words_of(text: str, names: frozenset[str]) -> tuple[str, ...]:
    """Return the words of a value, such as "npm"."""
    return _words(_TOKEN.findall(with_values_marked(text)), names)


def _kept_negation(found: re.Match[str]) -> str:
    """Return "not" for "no longer" and 不再, and a space for other words about the present."""
    return " not " if found[0].startswith(("no ", "不")) else " "


def _spaced(plain: str) -> list[str]:
    """Return the tokens; a listed phrase of several words is one token."""
    tokens: list[str] = []
    for at, piece in enumerate(_cutting().split(plain)):
        tokens += [piece] if at % 2 else _TOKEN.findall(piece)
    return tokens


@cache
def _cutting() -> re.Pattern[str]:
    several = [
        phrase
        for path in (
            ("qualifier", "harmless"),
            ("qualifier", "instead"),
            ("negation",),
            ("filler",),
        )
        for phrase in listed(*path)
        if " " in phrase or (not phrase.isascii() and len(phrase) > 1)
    ]
    return re.compile("(" + "|".join(map(re.escape, several)) + ")")


def _openers(kind: str) -> frozenset[str]:
    return as_set("qualifier", kind)


def _runs(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Yield runs of tokens, cut at punctuation and before each qualifier."""
    opening = _openers("plain") | _openers("harmless") | _openers("instead")
    run: list[str] = []
    for token in tokens:
        if run and (_BREAK.fullmatch(token) or token in opening or _is_complete_time(run, token)):
            yield run
            run = []
        if not _BREAK.fullmatch(token):
            run.append(token)
    if run:
        yield run


def _is_complete_time(run: Sequence[str], token: str) -> bool:
    """Return whether a qualifier such as "on Fridays" is complete."""
    return (
        len(run) > 1 and run[0] in _openers("plain") and run[-1][0] == "@" and token[0] not in "@#"
    )


def _part(run: Sequence[str], names: frozenset[str]) -> StatementPart:
    negated = any(token in as_set("negation") for token in run)
    turned = any(token in _TURNED for token in run)
    kept = [_TURNED.get(token, token) for token in run if token not in as_set("negation")]
    return StatementPart(_words(kept, names), negated is not turned, run[0] in _openers("harmless"))


def _words(tokens: Sequence[str], names: frozenset[str]) -> tuple[str, ...]:
    return _in_any_order([_stem(each, names) for each in tokens if each not in as_set("filler")])


def _stem(token: str, names: frozenset[str]) -> str:
    if token in names or not (token.isascii() and token.isalpha()):
        return token.strip("⟪⟫")
    return _stemmed(token)


@lru_cache(maxsize=16_384)
def _stemmed(word: str) -> str:
    return terms(word)[0]


def _in_any_order(found: list[str]) -> tuple[str, ...]:
    """Return the words with both sides of each "and" sorted."""
    while found and found[0] == "and":
        del found[0]
    while "and" in found[1:-1]:
        at = found.index("and", 1)
        found[at - 1 : at + 2] = sorted((found[at - 1], found[at + 1]))
    return tuple(found)


def is_unspaced(word: str) -> bool:
    """Return whether a word is of an unspaced script."""
    return re.match(f"[{_UNSPACED}]", word) is not None
