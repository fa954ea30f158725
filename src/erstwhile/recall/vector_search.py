"""Find the passages nearest to a query vector, in the database or in this process.

An engine that can find nearest vectors has a statement for it. For other engines this process keeps
a copy of the vectors. Both compute cosines from the stored bytes and the full query vector, so that
results are equal on every engine.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import Protocol

import numpy as np

from erstwhile.recall.models import QueryVector
from erstwhile.search import vectors
from erstwhile.search.vectors import NearestVectors, PartitionVectors
from erstwhile.storage.access import Access
from erstwhile.storage.view import View

_OBSTACLE = (
    "this PostgreSQL has no vector search: found by words alone until the extension vector "
    "(pgvector 0.8 or later) is there and the owner of the schema has opened the memory"
)
_BATCH = 5_000


class VectorSearch(Protocol):
    """Finds the passages nearest to a query. `partitions` maps partitions to their sizes."""

    @property
    def memory(self) -> int:
        """The bytes of vectors that this process holds."""

    def obstacle(self, view: View) -> str | None:
        """Return why vectors cannot be searched here, or None if they can."""

    def nearest(
        self, view: View, query: QueryVector, partitions: Mapping[int, int], count: int
    ) -> NearestVectors:
        """Return the `count` nearest vectors of these partitions, or all if there are fewer."""

    def cosines(
        self, view: View, query: QueryVector, partitions: Mapping[int, int], seqs: Sequence[int]
    ) -> dict[int, float]:
        """Return the cosines of these passages after `nearest` has run on the same partitions."""

    def refreshed_cosines(
        self, view: View, query: QueryVector, partitions: Mapping[int, int], seqs: Sequence[int]
    ) -> dict[int, float]:
        """Return the cosines of these passages; no earlier search is needed."""


def choose_vector_search(access: Access) -> VectorSearch:
    """Return the search of the database if its engine has one, else the search in this process."""
    return VectorsInDatabase() if access.offers("nearest_vectors") else VectorsInProcess()


class VectorsInDatabase:
    """Implements `VectorSearch` with pgvector, which finds the candidates."""

    memory = 0

    def __init__(self) -> None:
        self._has_extension = False

    def obstacle(self, view: View) -> str | None:
        """Return why vectors cannot be searched. Once the extension is there, it stays."""
        if not self._has_extension:
            self._has_extension = bool(view.rows("searches_vectors", {})[0][0])
        return None if self._has_extension else _OBSTACLE

    def nearest(
        self, view: View, query: QueryVector, partitions: Mapping[int, int], count: int
    ) -> NearestVectors:
        rows = view.rows(
            "nearest_vectors",
            {
                "embedder": query.embedder,
                "partitions": json.dumps(list(partitions)),
                "question": json.dumps([round(each, 6) for each in query.vector.tolist()]),
                "limit": count,
                "visible": sum(partitions.values()),
            },
        )
        cosines = vectors.cosines(query.vector, [row[1] for row in rows])
        best = np.argsort(-cosines, kind="stable")
        return NearestVectors(np.array([row[0] for row in rows], np.int64)[best], cosines[best])

    def cosines(
        self,
        view: View,
        query: QueryVector,
        partitions: Mapping[int, int],  # noqa: ARG002
        seqs: Sequence[int],
    ) -> dict[int, float]:
        params = {"embedder": query.embedder, "seqs": json.dumps(list(seqs))}
        rows = view.rows("stored_vectors", params) if seqs else []
        values = vectors.cosines(query.vector, [row[1] for row in rows])
        return dict(zip((row[0] for row in rows), values.tolist(), strict=True))

    refreshed_cosines = cosines


class VectorsInProcess:
    """Implements `VectorSearch` on copies of the partitions, updated before each search.

    Above `limit` bytes the least recently used partitions are dropped.
    """

    def __init__(self, limit: int = 1 << 30) -> None:
        self._limit = limit
        self._copies: dict[tuple[int, int], PartitionVectors] = {}
        self._lock = Lock()

    @property
    def memory(self) -> int:
        """The bytes of vectors that this process holds."""
        return sum(copy.memory for copy in self._copies.values())

    def obstacle(self, view: View) -> str | None:  # noqa: ARG002
        """Return None: this process can always search."""
        return None

    def nearest(
        self, view: View, query: QueryVector, partitions: Mapping[int, int], count: int
    ) -> NearestVectors:
        with self._lock:
            copies = self._refreshed(view, query, partitions)
            found = [copy.search(query.vector, count) for copy in copies if len(copy)]
            self._trim()
        seqs = np.concatenate([np.empty(0, np.int64), *(each.seqs for each in found)])
        cosines = np.concatenate([np.empty(0, np.float32), *(each.cosines for each in found)])
        best = np.argsort(-cosines, kind="stable")[:count]
        return NearestVectors(seqs[best], cosines[best])

    def cosines(
        self,
        view: View,  # noqa: ARG002
        query: QueryVector,
        partitions: Mapping[int, int],
        seqs: Sequence[int],
    ) -> dict[int, float]:
        with self._lock:
            copies = [self._copy(query, partition) for partition in partitions]
            return _cosines(copies, query, seqs)

    def refreshed_cosines(
        self, view: View, query: QueryVector, partitions: Mapping[int, int], seqs: Sequence[int]
    ) -> dict[int, float]:
        with self._lock:
            known = _cosines(self._refreshed(view, query, partitions), query, seqs)
            self._trim()
        return known

    def _copy(self, query: QueryVector, partition: int) -> PartitionVectors:
        """Return the copy of a partition, as the most recently used one."""
        key = query.embedder, partition
        copy = self._copies.pop(key, None)
        if copy is None:  # an empty copy is kept, because it has the last revision
            copy = PartitionVectors(len(query.vector))
        self._copies[key] = copy
        return copy

    def _refreshed(
        self, view: View, query: QueryVector, partitions: Iterable[int]
    ) -> list[PartitionVectors]:
        """Return the copies of partitions after their changes are read."""
        copies = []
        for partition in partitions:
            copy = self._copy(query, partition)
            params = {"embedder": query.embedder, "partition": partition, "limit": _BATCH}
            while rows := view.rows("vectors_since", {**params, "rev": copy.rev}):
                copy.update(rows)
                if len(rows) < _BATCH:
                    break
            copies.append(copy)
        return copies

    def _trim(self) -> None:
        """Drop the least recently used copies while the limit is exceeded."""
        while self.memory > self._limit and len(self._copies) > 1:
            self._copies.pop(next(iter(self._copies)))


def _cosines(
    copies: Iterable[PartitionVectors], query: QueryVector, seqs: Sequence[int]
) -> dict[int, float]:
    known: dict[int, float] = {}
    for copy in copies:
        known |= copy.cosines(query.vector, seqs)
    return known
