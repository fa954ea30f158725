"""Copies of vectors in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from erstwhile.recall.models import DEFAULT_SCALE, QueryVector
from erstwhile.recall.vector_search import VectorsInProcess
from erstwhile.search.vectors import pack
from erstwhile.storage.view import View

VECTOR = np.ones(8, np.float32) / np.float32(8**0.5)


class VectorTable:
    """A view with a table of vectors; it notes which revisions were asked for."""

    def __init__(self, rows: Sequence[tuple[int, int, int, bytes | None]]) -> None:
        self.table = list(rows)
        self.asked: list[tuple[int, int]] = []

    def rows(self, _statement: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        self.asked.append((params["partition"], params["rev"]))
        return [
            row[1:]
            for row in self.table
            if row[0] == params["partition"] and row[2] > params["rev"]
        ]


def nearest(search: VectorsInProcess, table: VectorTable, *partitions: int) -> list[int]:
    query = QueryVector(1, VECTOR, DEFAULT_SCALE)
    found = search.nearest(cast("View", table), query, dict.fromkeys(partitions, 1), 10)
    return [int(each) for each in found.seqs]


def test_above_the_limit_the_least_recently_used_copy_is_dropped() -> None:
    search = VectorsInProcess(limit=1)
    table = VectorTable([(at, at, 1, pack(VECTOR)) for at in (1, 2)])
    assert nearest(search, table, 1, 2) == [1, 2]
    assert nearest(search, table, 2) == [2]
    assert nearest(search, table, 1) == [1]
    assert table.asked == [(1, 0), (2, 0), (2, 1), (1, 0)]
    assert search.memory > 0


def test_an_emptied_copy_knows_its_revision() -> None:
    search, table = VectorsInProcess(), VectorTable([(1, 1, 4, pack(VECTOR))])
    assert nearest(search, table, 1) == [1]
    table.table.append((1, 1, 5, None))
    assert nearest(search, table, 1) == []
    nearest(search, table, 1)
    assert table.asked[-1] == (1, 5)
