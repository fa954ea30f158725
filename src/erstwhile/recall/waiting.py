"""Vectors of texts that were stored just now and still wait for theirs.

So that a new record is found by its meaning at once, a query embeds the newest short texts that
wait, up to a bound, and compares them as well. The vectors are kept in the process until the
background work has stored them: a query writes nothing.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
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
_NEWEST = {"longest": LONGEST, "limit": _MOST_READ}
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
        self._model: tuple[str, int] = ("", 0)
        self._kept: dict[int, NDArray[np.float32] | None] = {}
        """The vectors by number; None for a text that could not be embedded."""

    def missing(self, model: tuple[str, int], rows: Sequence[Row]) -> list[Row]:
        """Return the first rows (number, shelf, text) that were not tried with this model."""
        if model != self._model or len(self._kept) > _KEPT:
            self._model, self._kept = model, {}
        return [row for row in rows if row[0] not in self._kept][:MOST_NEW]

    def add(self, rows: Sequence[Row], vectors: Iterable[NDArray[np.float32] | None]) -> None:
        """Keep the vectors of rows. A row without a vector is not tried again by a query."""
        self._kept |= {row[0]: vector for row, vector in zip(rows, vectors, strict=True)}

    def waiting(self, rows: Sequence[Row]) -> WaitingVectors:
        """Return the vectors of these rows, as far as they are here."""
        found = ((row[0], row[1], self._kept.get(row[0])) for row in rows)
        return WaitingVectors(
            {seq: (shelf, vector) for seq, shelf, vector in found if vector is not None}
        )


def newest_waiting(view: View) -> list[Row]:
    """Return the newest short passages that wait: number, shelf and text of each."""
    return view.rows("newest_in_outbox", _NEWEST) if view.rows("last_in_outbox", {}) else []


def send_for_waiting(view: View) -> None:
    """Ask whether a passage waits before it is needed."""
    view.send_ahead("last_in_outbox", {})
