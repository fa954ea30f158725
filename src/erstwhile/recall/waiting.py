"""Vectors of texts that were stored just now and still wait for theirs.

So that a new record is found by its meaning at once, a query embeds the newest short texts that
wait, up to a bound, and compares them as well. The vectors are kept in the process until the
background work has stored them: a query writes nothing.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from erstwhile.core.ports import Row
from erstwhile.recall.vector_search import QueryVector
from erstwhile.storage.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_NEW = 24
"""The texts that one query may embed. A short text takes about 3 ms."""
_MOST_READ = 120
"""The waiting texts that one query compares. What the queries before embedded is compared, too."""
LONGEST = 300
"""The characters of a text that is short enough."""
_KEPT = 1_000
"""The vectors that the process keeps."""


@dataclass(frozen=True, slots=True)
class WaitingVectors:
    """The vectors of waiting passages, by their numbers, with their shelves."""

    vectors: Mapping[int, tuple[int, NDArray[np.float32]]] = field(default_factory=dict)

    def cosines(self, query: QueryVector, shelves: Container[int]) -> dict[int, float]:
        """Return the cosines of the passages in these shelves to a query."""
        return {
            seq: float(vector @ query.vector)
            for seq, (shelf, vector) in self.vectors.items()
            if shelf in shelves
        }


class RecentVectors:
    """The vectors that queries of this process made, for one model."""

    def __init__(self) -> None:
        self._model = ""
        self._kept: dict[int, NDArray[np.float32]] = {}

    def missing(self, model: str, rows: Sequence[Row]) -> list[Row]:
        """Return the first rows (number, shelf, text) that have no vector of this model here."""
        if model != self._model or len(self._kept) > _KEPT:
            self._model, self._kept = model, {}
        return [row for row in rows if row[0] not in self._kept][:MOST_NEW]

    def add(self, rows: Sequence[Row], vectors: NDArray[np.float32]) -> None:
        """Keep the vectors of rows."""
        self._kept |= {row[0]: vector for row, vector in zip(rows, vectors, strict=True)}

    def waiting(self, rows: Sequence[Row]) -> WaitingVectors:
        """Return the vectors of these rows, as far as they are here."""
        kept = self._kept
        return WaitingVectors({row[0]: (row[1], kept[row[0]]) for row in rows if row[0] in kept})


def newest_waiting(view: View) -> list[Row]:
    """Return the newest short passages that wait: number, shelf and text of each."""
    return view.rows("newest_in_outbox", {"longest": LONGEST, "limit": _MOST_READ})
