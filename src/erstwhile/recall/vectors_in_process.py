"""Vectors searched in this process, in a copy that is brought up to date before each search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from erstwhile.recall.vector_search import Meaning
from erstwhile.search.vector_cache import VectorCache
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.search.vectors import Near, ScopeVectors

_BATCH = 5_000


class VectorsInProcess:
    def __init__(self) -> None:
        self._cache = VectorCache()

    def obstacle(self, view: View) -> str | None:  # noqa: ARG002
        return None

    def nearest(self, view: View, meaning: Meaning, scopes: Mapping[int, int], count: int) -> Near:
        # Loaded here: a memory without an embedder needs no numpy.
        import numpy as np

        from erstwhile.search.vectors import Near

        with self._cache.lock:
            refreshed = self._refreshed(view, meaning, scopes)
            found = [held.search(meaning.vector, count) for held in refreshed]
            self._cache.trim()
        seqs = np.concatenate([near.seqs for near in found]) if found else np.empty(0, np.int64)
        cosines = (
            np.concatenate([near.cosines for near in found]) if found else np.empty(0, np.float32)
        )
        best = np.argsort(-cosines, kind="stable")[:count]
        return Near(seqs[best], cosines[best])

    def cosines(
        self,
        view: View,  # noqa: ARG002
        meaning: Meaning,
        scopes: Mapping[int, int],
        seqs: Sequence[int],
    ) -> dict[int, float]:
        known: dict[int, float] = {}
        with self._cache.lock:
            for held in self._held(meaning, scopes):
                known |= held.cosines(meaning.vector, seqs)
        return known

    def compared(
        self, view: View, meaning: Meaning, scopes: Mapping[int, int], seqs: Sequence[int]
    ) -> dict[int, float]:
        with self._cache.lock:
            refreshed = self._refreshed(view, meaning, scopes)
            known = [held.cosines(meaning.vector, seqs) for held in refreshed]
            self._cache.trim()
        return {seq: cosine for each in known for seq, cosine in each.items()}

    @property
    def memory(self) -> int:
        return self._cache.memory

    def _held(self, meaning: Meaning, scopes: Iterable[int]) -> list[ScopeVectors]:
        dimensions = len(meaning.vector)
        return [self._cache.scope(meaning.embedder, scope, dimensions) for scope in scopes]

    def _refreshed(self, view: View, meaning: Meaning, scopes: Iterable[int]) -> list[ScopeVectors]:
        held = self._held(meaning, scopes)
        for scope, vectors in zip(scopes, held, strict=True):
            while _refresh(view, meaning.embedder, scope, vectors) == _BATCH:
                pass
        return [vectors for vectors in held if len(vectors)]


def _refresh(view: View, embedder: int, scope: int, vectors: ScopeVectors) -> int:
    since = {"embedder": embedder, "scope": scope, "rev": vectors.rev, "limit": _BATCH}
    rows = view.rows("vectors_since", since)
    vectors.update(rows)
    return len(rows)
