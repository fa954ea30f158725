"""Searching by words alone: the port `Words`, made of the analyser and BM25."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from erstwhile.search.bm25 import Document, rank, rarity
from erstwhile.search.terms import is_unspaced, query_terms, terms

__all__ = ["query_terms", "scores", "snippet"]

WIDTH = 160
"""How many characters a snippet shows."""
_BEFORE = WIDTH // 4
"""How many of them stand before the first word that was looked for."""
_READ = 50_000
"""Of a longer text only so many characters are looked through."""
_WORD = re.compile(r"\S+")


def scores(
    holding: Mapping[str, int], total: int, documents: Sequence[Sequence[str]]
) -> Sequence[float]:
    weights = {term: rarity(count, total) for term, count in holding.items()}
    return [match.score for match in rank(weights, [Document(each) for each in documents])]


def snippet(text: str, terms: Sequence[str]) -> str:
    flat = " ".join(text.split())
    if len(flat) <= WIDTH:
        return flat
    best = _densest(_places(flat[:_READ], frozenset(terms)))
    start = _at_a_gap(flat, max(0, min(best - _BEFORE, len(flat) - WIDTH)), best)
    end = start + WIDTH
    cut = flat[start:end] if end >= len(flat) else _whole_words(flat[start:end])
    return f"{'…' if start else ''}{cut}{'…' if end < len(flat) else ''}"


def _places(text: str, wanted: frozenset[str]) -> list[int]:
    """Where the words begin that were looked for."""
    return [place for place, piece in _pieces(text) if not wanted.isdisjoint(terms(piece))]


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Words, and in scripts without spaces every pair of characters, with their places."""
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
    """The place after which most of the others follow within a snippet."""
    reach = WIDTH - _BEFORE
    following = [bisect_left(places, place + reach) - at for at, place in enumerate(places)]
    return places[following.index(max(following))] if places else 0


def _at_a_gap(text: str, start: int, until: int) -> int:
    """The beginning of the next word, unless none begins before what must be shown."""
    gap = text.find(" ", start, until) if start else -1
    return start if gap < 0 else gap + 1


def _whole_words(text: str) -> str:
    """Without the word that the cut went through, unless little else would be left."""
    gap = text.rfind(" ", len(text) // 2)
    return text if gap < 0 else text[:gap]
