"""Compare statements by rules that prove what they decide. In doubt, two statements differ.

`said` is the same for two statements only if they are the same words in the same order: articles,
punctuation, letter case and contractions may differ, and no number, name, date, negation, tense or
plural. `lost` names what a merged statement of a model would lose or invent.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

from erstwhile.facts.contradictions import word_list
from erstwhile.search.terms import query_terms, terms

_TOKEN = re.compile(
    r"[-+−±]?[$€£¥#]?\d[\w.,:/+−-]*\w|[-+−±]?[$€£¥#]?\w(?:[\w'&/@+.:-]*\w)?[+#]*|[^\w\s.,;:!'\"()\[\]。、「」-]"
)
"""A number with its sign; a word with what joins its parts; or a sign such as "?" or "%"."""
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-"})
_CONTRACTED = (
    (re.compile(r"\bcan(?:'t|not)\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"(?<=\w)'re\b"), " are"),
    (re.compile(r"(?<=\w)'ve\b"), " have"),
    (re.compile(r"(?<=\w)'ll\b"), " will"),
)
_ARTICLE = re.compile(r"\b(?:an?|the)\s+(?!(?:few|little|most|more|other|one)\b)(?=\w)")
"""An article. It counts where it changes the meaning, as in "a few"."""
_SENTENCE_END = re.compile(r"[.!?。！？]\s+|;\s+|\n+")
_NAMED = re.compile(r"(?:called|named)(?: [A-Z]\w+)+")
_QUALIFIERS = frozenset((
    "might", "may", "could", "would", "should", "must", "if", "unless", "only", "all", "some",
    "most", "few", "often", "sometimes", "rarely", "almost", "about", "maybe", "perhaps",
    "probably", "never", "ever", "once", "twice",
))  # fmt: skip
_LEADING = frozenset((
    "from", "to", "before", "after", "until", "since", "under", "over", "below", "above", "more",
    "less", "without", "against",
))  # fmt: skip
_FIGURE = re.compile(r"(?<!\w)\w*\d[\w.,:/-]*")
_CAPITAL = re.compile(r"[^\W\d_a-zà-öø-ÿа-яα-ω][\w'’-]*")


def said(text: str) -> tuple[str, ...]:
    """Return the words of a statement in the form in which equal statements are equal."""
    plain = unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold()
    for pattern, full in _CONTRACTED:
        plain = pattern.sub(full, plain)
    return tuple(_TOKEN.findall(_ARTICLE.sub("", plain)))


def beginnings(text: str) -> list[tuple[str, ...]]:
    """Return the shorter statements that a statement begins with and does not take back.

    What follows is a name, as in "Ana has a dog called Rex", or sentences without a negation.
    """
    text, found = text.strip(), list[tuple[str, ...]]()
    named = _NAMED.search(text)
    if named is not None and named.end() >= len(text.rstrip(".!")):
        found.append(said(text[: named.start()]))
    retracting = word_list("negations") | word_list("ends") | {"but", "wrong", "joke"}
    end = _SENTENCE_END.search(text)
    if end is not None and retracting.isdisjoint(terms(text[end.end() :])):
        found.append(said(text[: end.start()]))
    return [each for each in found if len(each) > 1]


def lost(originals: Sequence[str], text: str) -> list[str]:
    """Return the words that a merged text loses or adds, and the figures and names it moves.

    The text has every content word of the originals and no other one, the same negation, and each
    figure and name beside a word beside which an original has it.
    """
    wanted, got = {term for each in originals for term in _content(each)}, _content(text)
    missing = sorted(wanted ^ got)
    if len({_qualifiers(each) for each in (*originals, text)}) > 1:
        missing.append("a word such as 'not', 'only' or 'might'")
    led = {pair for each in originals for pair in _led(each)} - _led(text)
    missing += sorted(" ".join(pair) for pair in led)
    neighbours = dict(_neighbours(text))
    for original in originals:
        for term, beside in _neighbours(original):
            if term in neighbours and beside and not beside & neighbours[term]:
                missing.append(term)
    return missing


def adds(originals: Sequence[str], text: str) -> list[str]:
    """Return the content words of a text that no original has."""
    return sorted(_content(text) - {term for each in originals for term in _content(each)})


def alike(one: str, other: str, share: float = 0.5) -> bool:
    """Return whether two texts have at least this share of their content words in common."""
    own, theirs = _content(one), _content(other)
    return 2 * len(own & theirs) >= share * (len(own) + len(theirs))


def _content(text: str) -> frozenset[str]:
    return frozenset(query_terms(text))


def _qualifiers(text: str) -> frozenset[str]:
    """Return the words of a text by which a statement is denied, limited or made less sure."""
    words = said(text)
    denied = word_list("negations").intersection(terms(" ".join(words)))
    return _QUALIFIERS.intersection(words) | denied


def _led(text: str) -> set[tuple[str, str]]:
    """Return the pairs of a word such as "from" and the word that it leads to."""
    words = [word for word in said(text) if word not in ("than", "of")]
    return {pair for pair in pairwise(words) if pair[0] in _LEADING}


def _neighbours(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the terms of the figures and names of a text, each with the content terms beside it."""
    words = text.split()
    stems = [query_terms(word) for word in words]
    content = [(word, found) for word, found in zip(words, stems, strict=True) if found]
    by_term: dict[str, set[str]] = {}
    for at, (word, found) in enumerate(content):
        if not (_FIGURE.search(word) or _CAPITAL.match(word.lstrip("\"'“(["))):
            continue
        beside = [term for near in content[max(0, at - 1) : at] + content[at + 1 : at + 2]
                  for term in near[1]]  # fmt: skip
        for term in found:
            by_term.setdefault(term, set()).update(beside)
    yield from ((term, frozenset(beside)) for term, beside in by_term.items())
