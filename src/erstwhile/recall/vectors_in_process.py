"""Vector search in this process, on a copy that is updated before each search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from erstwhile.recall.vector_search import QueryVector
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.search.vectors import NearestVectors, ScopeVectors

_BATCH = 5_000


class VectorCache:
    """The scopes that this process has searched. The least recently used are dropped first."""

    def __init__(self, limit: int = 1 << 30) -> None:
        self._limit = limit
        self._scopes: dict[tuple[int, int], ScopeVectors] = {}
        self.lock = Lock()

    def scope(self, embedder: int, scope: int, dimensions: int) -> ScopeVectors:
        """Return the vectors of one model in one scope. The caller must hold the lock."""
        # Imported here: a memory without an embedder needs no numpy.
        from erstwhile.search.vectors import ScopeVectors

        key = (embedder, scope)
        held = self._scopes.pop(key, None)
        if held is None:  # an empty scope is kept, because it has the last revision
            held = ScopeVectors(dimensions)
        self._scopes[key] = held
        return held

    def trim(self) -> None:
        """Drop the least recently used scopes while the limit is exceeded."""
        while self.memory > self._limit and len(self._scopes) > 1:
            self._scopes.pop(next(iter(self._scopes)))

    @property
    def memory(self) -> int:
        """The bytes held by all scopes."""
        return sum(held.memory for held in self._scopes.values())


class VectorsInProcess:
    """Implements `VectorSearch` with numpy."""

    def __init__(self) -> None:
        self._cache = VectorCache()

    def obstacle(self, view: View) -> str | None:  # noqa: ARG002
        """Return None: this process can always search."""
        return None

    def nearest(
        self, view: View, query: QueryVector, scopes: Mapping[int, int], count: int
    ) -> NearestVectors:
        """Return the `count` nearest vectors of these scopes, or all if there are fewer."""
        # Imported here: a memory without an embedder needs no numpy.
        import numpy as np

        from erstwhile.search.vectors import NearestVectors

        with self._cache.lock:
            found = [
                held.search(query.vector, count) for held in self._refresh(view, query, scopes)
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
        scopes: Mapping[int, int],
        seqs: Sequence[int],
    ) -> dict[int, float]:
        """Return the cosines of these facts after `nearest` has run on the same scopes."""
        with self._cache.lock:
            return _cosines(self._held(query, scopes), query, seqs)

    def refreshed_cosines(
        self, view: View, query: QueryVector, scopes: Mapping[int, int], seqs: Sequence[int]
    ) -> dict[int, float]:
        """Return the cosines of these facts; no earlier search is needed."""
        with self._cache.lock:
            known = _cosines(self._refresh(view, query, scopes), query, seqs)
            self._cache.trim()
        return known

    @property
    def memory(self) -> int:
        """The bytes of vectors that this process holds."""
        return self._cache.memory

    def _held(self, query: QueryVector, scopes: Iterable[int]) -> list[ScopeVectors]:
        dimensions = len(query.vector)
        return [self._cache.scope(query.embedder, scope, dimensions) for scope in scopes]

    def _refresh(self, view: View, query: QueryVector, scopes: Iterable[int]) -> list[ScopeVectors]:
        """Read the changes of these scopes; return the scopes that have vectors."""
        held = self._held(query, scopes)
        for scope, vectors in zip(scopes, held, strict=True):
            while _read_changes(view, query.embedder, scope, vectors) == _BATCH:
                pass
        return [vectors for vectors in held if len(vectors)]


def _cosines(
    scopes: Iterable[ScopeVectors], query: QueryVector, seqs: Sequence[int]
) -> dict[int, float]:
    known: dict[int, float] = {}
    for vectors in scopes:
        known |= vectors.cosines(query.vector, seqs)
    return known


def _read_changes(view: View, embedder: int, scope: int, vectors: ScopeVectors) -> int:
    since = {"embedder": embedder, "scope": scope, "rev": vectors.rev, "limit": _BATCH}
    rows = view.rows("vectors_since", since)
    vectors.update(rows)
    return len(rows)
