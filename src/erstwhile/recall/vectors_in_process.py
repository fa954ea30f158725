"""Vector search in this process, on a copy that is updated before each search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from erstwhile.recall.vector_search import QueryVector
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.search.vectors import NearestVectors, ShelfVectors

_BATCH = 5_000


class VectorCache:
    """The shelves that this process has searched. The least recently used are dropped first."""

    def __init__(self, limit: int = 1 << 30) -> None:
        self._limit = limit
        self._shelves: dict[tuple[int, int], ShelfVectors] = {}
        self.lock = Lock()

    def shelf(self, embedder: int, shelf: int, dimensions: int) -> ShelfVectors:
        """Return the vectors of one model in one shelf. The caller must hold the lock."""
        # Imported here: a memory without an embedder needs no numpy.
        from erstwhile.search.vectors import ShelfVectors

        key = (embedder, shelf)
        held = self._shelves.pop(key, None)
        if held is None:  # an empty shelf is kept, because it has the last revision
            held = ShelfVectors(dimensions)
        self._shelves[key] = held
        return held

    def trim(self) -> None:
        """Drop the least recently used shelves while the limit is exceeded."""
        while self.memory > self._limit and len(self._shelves) > 1:
            self._shelves.pop(next(iter(self._shelves)))

    @property
    def memory(self) -> int:
        """The bytes held by all shelves."""
        return sum(held.memory for held in self._shelves.values())


class VectorsInProcess:
    """Implements `VectorSearch` with numpy."""

    def __init__(self) -> None:
        self._cache = VectorCache()

    def obstacle(self, view: View) -> str | None:  # noqa: ARG002
        """Return None: this process can always search."""
        return None

    def nearest(
        self, view: View, query: QueryVector, shelves: Mapping[int, int], count: int
    ) -> NearestVectors:
        """Return the `count` nearest vectors of these shelves, or all if there are fewer."""
        # Imported here: a memory without an embedder needs no numpy.
        import numpy as np

        from erstwhile.search.vectors import NearestVectors

        with self._cache.lock:
            found = [
                held.search(query.vector, count) for held in self._refresh(view, query, shelves)
            ]
            self._cache.trim()
        seqs = np.concatenate([np.empty(0, np.int64), *(each.seqs for each in found)])
        cosines = np.concatenate([np.empty(0, np.float32), *(each.cosines for each in found)])
        best = np.argsort(-cosines, kind="stable")[:count]
        return NearestVectors(seqs[best], cosines[best])

    def cosines(
        self,
        view: View,  # noqa: ARG002
        query: QueryVector,
        shelves: Mapping[int, int],
        seqs: Sequence[int],
    ) -> dict[int, float]:
        """Return the cosines of these passages after `nearest` has run on the same shelves."""
        with self._cache.lock:
            return _cosines(self._held(query, shelves), query, seqs)

    def refreshed_cosines(
        self, view: View, query: QueryVector, shelves: Mapping[int, int], seqs: Sequence[int]
    ) -> dict[int, float]:
        """Return the cosines of these passages; no earlier search is needed."""
        with self._cache.lock:
            known = _cosines(self._refresh(view, query, shelves), query, seqs)
            self._cache.trim()
        return known

    @property
    def memory(self) -> int:
        """The bytes of vectors that this process holds."""
        return self._cache.memory

    def _held(self, query: QueryVector, shelves: Iterable[int]) -> list[ShelfVectors]:
        dimensions = len(query.vector)
        return [self._cache.shelf(query.embedder, shelf, dimensions) for shelf in shelves]

    def _refresh(
        self, view: View, query: QueryVector, shelves: Iterable[int]
    ) -> list[ShelfVectors]:
        """Read the changes of these shelves; return those that have vectors."""
        held = self._held(query, shelves)
        for shelf, vectors in zip(shelves, held, strict=True):
            while _read_changes(view, query.embedder, shelf, vectors) == _BATCH:
                pass
        return [vectors for vectors in held if len(vectors)]


def _cosines(
    shelves: Iterable[ShelfVectors], query: QueryVector, seqs: Sequence[int]
) -> dict[int, float]:
    known: dict[int, float] = {}
    for vectors in shelves:
        known |= vectors.cosines(query.vector, seqs)
    return known


def _read_changes(view: View, embedder: int, shelf: int, vectors: ShelfVectors) -> int:
    since = {"embedder": embedder, "shelf": shelf, "rev": vectors.rev, "limit": _BATCH}
    rows = view.rows("vectors_since", since)
    vectors.update(rows)
    return len(rows)
