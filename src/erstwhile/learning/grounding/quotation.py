"""Find a quotation in a text: as it is written, else regardless of case, spaces and punctuation.

Language models copy words with small changes: straight quotes for curly ones, half-width for
full-width letters, an ellipsis for words that they leave out, another ending.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from erstwhile.search.terms import is_unspaced, query_terms, terms

MOST_PLACES = 5
"""The most places of a quotation in one text that are examined."""
_LEFT_OUT = re.compile(r"(?:(?<!\s)\s++)?(?:…|\.{3,}|\[(?:…|\.{3})\]|\((?:…|\.{3})\))\s*")
_SENTENCE = re.compile(r"[^.!?。！？\n]++[.!?。！？]*+")
_JOINED = re.compile(r"(?:^|\W)[وفبلك]")
"""A particle that Arabic joins to the next word: "and", "so", "in", "for", "as"."""
_NEARLY = 0.75
"""The share of a quotation's words that a sentence must have, if it is not quoted word by word."""


class QuotePlace(NamedTuple):
    """Start and end of some words in a text."""

    start: int
    end: int


def places(quote: str, text: str) -> Iterator[tuple[QuotePlace, ...]]:
    """Yield where a text has the quotation; several places together if words were left out."""
    parts = [part for part in _LEFT_OUT.split(quote.strip()) if part]
    if len(parts) == 1:
        found = islice(_occurrences(parts[0], text), MOST_PLACES)
        yield from ((place,) for place in found)
    elif parts and (together := _in_order(parts, text)):
        yield together


def nearest(words: Iterable[str], text: str, share: float = _NEARLY) -> QuotePlace | None:
    """Return the sentence with the most of these terms; None if none has this share of them."""
    wanted = frozenset(words)
    place, count = _best_sentence(wanted, text)
    return place if count and count >= share * len(wanted) else None


def most_in_a_sentence(words: Iterable[str], text: str) -> int:
    """Return how many of these terms the sentence with the most of them has."""
    return _best_sentence(frozenset(words), text)[1]


def _best_sentence(wanted: frozenset[str], text: str) -> tuple[QuotePlace, int]:
    counts = (
        (QuotePlace(*sentence.span()), len(wanted.intersection(terms(sentence[0]))))
        for sentence in _SENTENCE.finditer(text)
    )
    return max(counts, key=itemgetter(1), default=(QuotePlace(0, 0), 0))


def nearly(quote: str, text: str) -> QuotePlace | None:
    """Return the sentence that a quotation with other words in it is probably from."""
    words = query_terms(quote)
    return nearest(words, text) if len(words) > 1 else None


def _in_order(parts: Sequence[str], text: str) -> tuple[QuotePlace, ...]:
    """Return the places of all parts, one after the other; empty if one is missing."""
    found, at = list[QuotePlace](), 0
    for part in parts:
        place = next(_occurrences(part, text, at), None)
        if place is None:
            return ()
        found.append(place)
        at = place.end
    return tuple(found)


def _occurrences(quote: str, text: str, at: int = 0) -> Iterator[QuotePlace]:
    exact = list(islice(_exact(quote, text, at), MOST_PLACES))
    yield from exact or _forgiving(quote, text, at)


def _exact(quote: str, text: str, at: int) -> Iterator[QuotePlace]:
    while (start := text.find(quote, at)) >= 0:
        at = start + len(quote)
        if _is_whole(text, start, at):
            yield QuotePlace(start, at)


def _forgiving(quote: str, text: str, at: int) -> Iterator[QuotePlace]:
    wanted, _ = _letters(quote)
    letters, origins = _letters(text)
    found = letters.find(wanted) if wanted else -1
    while found >= 0:
        start, end = origins[found], origins[found + len(wanted) - 1] + 1
        if start >= at and _is_whole(text, start, end):
            yield QuotePlace(start, end)
        found = letters.find(wanted, found + len(wanted))


@lru_cache(maxsize=16)
def _letters(text: str) -> tuple[str, Sequence[int]]:
    """Return the letters and digits in one form, and where in the text each of them stands."""
    kept = [(each, at) for at, char in enumerate(text) for each in _plain(char)]
    return "".join(each for each, _ in kept), [at for _, at in kept]


@lru_cache(maxsize=8_192)
def _plain(char: str) -> str:
    """Return a character without case, width and accents; empty if it is no letter or digit."""
    plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", char).casefold())
    return "".join(each for each in plain if each.isalnum() or _is_vowel_sign(each))


def _is_vowel_sign(char: str) -> bool:
    """Return whether a mark belongs to the word, as in Indic scripts; accents do not."""
    return char > "\u036f" and unicodedata.category(char).startswith("M")


def _is_whole(text: str, start: int, end: int) -> bool:
    """Return whether the place begins and ends between words: "art" is not in "start"."""
    return _is_between_words(text, start) and _is_between_words(text, end)


def _is_between_words(text: str, at: int) -> bool:
    beside = text[max(0, at - 1) : at + 1]
    if len(beside) < 2 or not beside.isalnum() or is_unspaced(beside):
        return True
    return _JOINED.fullmatch(text, max(0, at - 2), at) is not None
