"""Where a question's vector is compared with those of facts: in this process, or the database.

An engine that can find the nearest vectors has a statement for it; for any other this process keeps
a copy of the vectors. What comes back is the same: similarities computed from the stored bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from erstwhile.storage.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from erstwhile.recall.similarity_scale import Scale
    from erstwhile.search.vectors import Near


class Meaning(NamedTuple):
    """The vector of a question, the number of the model that made it, and what it calls near."""

    embedder: int
    vector: NDArray[np.float32]
    scale: Scale


class VectorSearch(Protocol):
    def obstacle(self, view: View) -> str | None:
        """Why vectors cannot be searched here, if they cannot."""

    def nearest(self, view: View, meaning: Meaning, scopes: Mapping[int, int], count: int) -> Near:
        """The `count` nearest of these scopes, given with their sizes; fewer if that is all."""

    def cosines(
        self, view: View, meaning: Meaning, scopes: Mapping[int, int], seqs: Sequence[int]
    ) -> dict[int, float]:
        """The similarity of particular facts of these scopes, of those that have a vector."""

    def compared(
        self, view: View, meaning: Meaning, scopes: Mapping[int, int], seqs: Sequence[int]
    ) -> dict[int, float]:
        """The same when nothing of these scopes was searched before."""

    @property
    def memory(self) -> int:
        """Bytes of vectors that this process holds."""
