"""Rankings by Erstwhile and by BM25; those of others come as files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import erstwhile
from bench.evaluation.baseline import rank_by_words
from bench.evaluation.haystack import Haystack, Way
from bench.evaluation.trial import store_haystack
from bench.score.pool import Pool

DEPTH = 50


def bm25(haystack: Haystack, way: Way) -> Iterator[list[str]]:  # noqa: ARG001
    """Rank with SQLite's full-text search, with Porter stems and without stop words."""
    yield from rank_by_words(haystack, DEPTH)


def ours(haystack: Haystack, way: Way) -> Iterator[list[str]]:
    """Rank with Erstwhile as it is by default."""
    with erstwhile.open(":memory:") as memory:
        memory.recall("Is the model loaded?")
        stored = store_haystack(memory.scoped(user=haystack.name), haystack, way)
        for question in haystack.questions:
            yield stored.search(question, DEPTH)


RANKERS: Mapping[str, Callable[[Haystack, Way], Iterator[list[str]]]] = {
    "bm25": bm25,
    "erstwhile": ours,
}


def ranked(pool: Pool, way: Way, system: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the id of each question with its ranking."""
    for haystack, asked in zip(pool.haystacks, pool.asked, strict=True):
        for each, ids in zip(asked, RANKERS[system](haystack, way), strict=True):
            yield each.id, ids
