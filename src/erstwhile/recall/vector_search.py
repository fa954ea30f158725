"""Find the passages nearest to a query vector, in the database or in this process.

An engine that can find nearest vectors has a statement for it. For other engines this process keeps
a copy of the vectors. Both compute cosines from the stored bytes and the full query vector, so that
results are equal on every engine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import TypeAlias

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


class VectorsInDatabase:
    """Vector search with pgvector, which finds the candidates."""

    memory = 0

    def __init__(self) -> None:
        self._has_extension = False

    def obstacle(self, view: View) -> str | None:
        """Return why vectors cannot be searched; None if they can.

        Once the extension is there, it stays.
        """
        if not self._has_extension:
            self._has_extension = bool(view.rows("searches_vectors", {})[0][0])
        return None if self._has_extension else _OBSTACLE

    def nearest(
        self, view: View, query: QueryVector, partitions: Mapping[int, int], count: int
    ) -> NearestVectors:
        """Return the `count` nearest vectors of these partitions, or all if there are fewer.

        `partitions` maps partitions to their sizes.
        """
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
        *,
        refresh: bool = False,  # noqa: ARG002
    ) -> dict[int, float]:
        """Return the cosines of these passages."""
        params = {"embedder": query.embedder, "seqs": json.dumps(list(seqs))}
        rows = view.rows("stored_vectors", params) if seqs else []
        values = vectors.cosines(query.vector, [row[1] for row in rows])
        return dict(zip((row[0] for row in rows), values.tolist(), strict=True))


class VectorsInProcess:
    """Vector search on copies of the partitions, updated before each search.

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
        """Return the `count` nearest vectors of these partitions, or all if there are fewer."""
        found = list[NearestVectors]()
        with self._lock:
            for partition in partitions:
                copy = self._copy(view, query, partition, refresh=True)
                found.append(copy.search(query.vector, count))
            self._trim()
        seqs = np.concatenate([np.empty(0, np.int64), *(each.seqs for each in found)])
        cosines = np.concatenate([np.empty(0, np.float32), *(each.cosines for each in found)])
        best = np.argsort(-cosines, kind="stable")[:count]
        return NearestVectors(seqs[best], cosines[best])

    def cosines(
        self,
        view: View,
        query: QueryVector,
        partitions: Mapping[int, int],
        seqs: Sequence[int],
        *,
        refresh: bool = False,
    ) -> dict[int, float]:
        """Return the cosines of these passages; `refresh` the copies if no search did before."""
        known: dict[int, float] = {}
        with self._lock:
            for partition in partitions:
                copy = self._copy(view, query, partition, refresh=refresh)
                known |= copy.cosines(query.vector, seqs)
            if refresh:
                self._trim()
        return known

    def _copy(
        self, view: View, query: QueryVector, partition: int, *, refresh: bool
    ) -> PartitionVectors:
        """Return the copy of a partition, as the most recently used one."""
        key = query.embedder, partition
        copy = self._copies.pop(key, None)
        if copy is None:  # an empty copy is kept, because it has the last revision
            copy = PartitionVectors(len(query.vector))
        self._copies[key] = copy
        params = {"embedder": query.embedder, "partition": partition, "limit": _BATCH}
        while refresh:
            rows = view.rows("vectors_since", {**params, "rev": copy.rev})
            copy.update(rows)
            refresh = len(rows) == _BATCH
        return copy

    def _trim(self) -> None:
        """Drop the least recently used copies while the limit is exceeded."""
        while self.memory > self._limit and len(self._copies) > 1:
            self._copies.pop(next(iter(self._copies)))


VectorSearch: TypeAlias = VectorsInDatabase | VectorsInProcess


def choose_vector_search(access: Access) -> VectorSearch:
    """Return the search of the database if its engine has one, else the search in this process."""
    return VectorsInDatabase() if access.offers("nearest_vectors") else VectorsInProcess()
