"""The interface of vector search, which runs in this process or in the database.

An engine that can find nearest vectors has a statement for it. For other engines this process keeps
a copy of the vectors. Both compute similarities from the stored bytes, so results are equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from erstwhile.storage.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from erstwhile.recall.similarity_scale import SimilarityScale
    from erstwhile.search.vectors import NearestVectors


class QueryVector(NamedTuple):
    """The vector of a query, the number of its model, and the similarity scale of that model."""

    embedder: int
    vector: NDArray[np.float32]
    scale: SimilarityScale


class VectorSearch(Protocol):
    """Finds the passages nearest to a query. `shelves` maps shelves to their sizes."""

    def obstacle(self, view: View) -> str | None:
        """Return why vectors cannot be searched here, or None if they can."""

    def nearest(
        self, view: View, query: QueryVector, shelves: Mapping[int, int], count: int
    ) -> NearestVectors:
        """Return the `count` nearest vectors of these shelves, or all if there are fewer."""

    def cosines(
        self, view: View, query: QueryVector, shelves: Mapping[int, int], seqs: Sequence[int]
    ) -> dict[int, float]:
        """Return the cosines of these passages after `nearest` has run on the same shelves."""

    def refreshed_cosines(
        self, view: View, query: QueryVector, shelves: Mapping[int, int], seqs: Sequence[int]
    ) -> dict[int, float]:
        """Return the cosines of these passages; no earlier search is needed."""

    @property
    def memory(self) -> int:
        """The bytes of vectors that this process holds."""
