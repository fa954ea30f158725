"""Search by words alone: an implementation of the port `Words` with terms and BM25."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from erstwhile.search.bm25 import Document, idf, rank
from erstwhile.search.terms import is_unspaced, query_terms, terms

__all__ = ["query_terms", "scores", "snippet"]

WIDTH = 160
"""The characters of a snippet."""
_BEFORE = WIDTH // 4
"""The characters before the first matching word."""
_READ = 50_000
"""The characters of a text that are searched for matching words."""
_WORD = re.compile(r"\S+")


def scores(
    holding: Mapping[str, int], total: int, documents: Sequence[Sequence[str]]
) -> Sequence[float]:
    """Score each document; `holding` has the number of documents with each term."""
    weights = {term: idf(count, total) for term, count in holding.items()}
    return [match.score for match in rank(weights, [Document(each) for each in documents])]


def snippet(text: str, terms: Sequence[str]) -> str:
    """Return the part of a text with the most of these terms."""
    flat = " ".join(text.split())
    if len(flat) <= WIDTH:
        return flat
    best = _densest(_places(flat[:_READ], frozenset(terms)))
    start = _word_start(flat, max(0, min(best - _BEFORE, len(flat) - WIDTH)), best)
    end = start + WIDTH
    cut = flat[start:end] if end >= len(flat) else _whole_words(flat[start:end])
    return f"{'…' if start else ''}{cut}{'…' if end < len(flat) else ''}"


def _places(text: str, searched: frozenset[str]) -> list[int]:
    """Return where the words with these terms begin."""
    return [place for place, word in _words(text) if not searched.isdisjoint(terms(word))]


def _words(text: str) -> Iterator[tuple[int, str]]:
    """Yield words with their places; in scripts without spaces, pairs of characters."""
    for word in _WORD.finditer(text):
        place = word.start()
        if not is_unspaced(word[0]):
            yield place, word[0]
            continue
        for unspaced, run in groupby(word[0], is_unspaced):
            piece = "".join(run)
            pairs = [piece[at : at + 2] for at in range(len(piece))] if unspaced else [piece]
            yield from ((place + at, pair) for at, pair in enumerate(pairs))
            place += len(piece)


def _densest(places: Sequence[int]) -> int:
    """Return the place with the most other places after it inside one snippet."""
    reach = WIDTH - _BEFORE
    following = [bisect_left(places, place + reach) - at for at, place in enumerate(places)]
    return places[following.index(max(following))] if places else 0


def _word_start(text: str, start: int, until: int) -> int:
    """Return the start of the next word, or `start` if no word begins before `until`."""
    gap = text.find(" ", start, until) if start else -1
    return start if gap < 0 else gap + 1


def _whole_words(text: str) -> str:
    """Remove the last, cut word, unless little text would remain."""
    gap = text.rfind(" ", len(text) // 2)
    return text if gap < 0 else text[:gap]
