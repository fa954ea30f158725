"""The oracle: exact scores over all records, without index, candidates or cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from erstwhile.search import bm25

if TYPE_CHECKING:
    from numpy.typing import NDArray


class StoredPassage(NamedTuple):
    """A stored passage: its terms, and its vector if it has one."""

    terms: str
    vector: bytes | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored record: its passages, and its neighbours by distance if it is short."""

    id: str
    passages: Sequence[StoredPassage]
    around: Mapping[int, Stored] = field(default_factory=dict)
    asks: int = 0

    @property
    def is_short(self) -> bool:
        return len(self.passages) == 1

    @property
    def beginning(self) -> StoredPassage:
        return self.passages[0]

    def has_something(self, weights: Mapping[str, float], with_meaning: bool) -> bool:
        """Return whether a passage has a query term or, if meaning counts, a vector."""
        return any(
            not weights.keys().isdisjoint(passage.terms.split())
            or (with_meaning and passage.vector is not None)
            for passage in self.passages
        )


@dataclass(frozen=True, slots=True)
class Compared:
    """The BM25 match and the cosine of a record."""

    id: str
    match: bm25.Match
    cosine: float | None


def compare(
    weights: Mapping[str, float],
    question: NDArray[np.float32] | None,
    records: Sequence[Stored],
    neighbour_share: float,
) -> list[Compared]:
    """Score every record with a vector or a term, and the short neighbours of short ones."""
    able = [each for each in records if each.has_something(weights, question is not None)]
    beside = {near.id for each in able for near in each.around.values() if near.is_short}
    known = {each.id for each in able}
    able += [each for each in records if each.id in beside - known]
    documents = [
        bm25.Document(
            [passage.terms for passage in each.passages],
            [near.beginning.terms for near in each.around.values()],
        )
        for each in able
    ]
    return [
        Compared(each.id, match, _similarity(question, each, neighbour_share))
        for each, match in zip(able, bm25.rank(weights, documents), strict=True)
    ]


def unpack(stored: bytes) -> NDArray[np.float32]:
    """Return the vector of a stored form: a scale, then a signed byte per dimension."""
    scale: NDArray[np.float32] = np.frombuffer(stored[:4], "<f4")
    return np.frombuffer(stored[4:], np.int8).astype(np.float32) * scale


def cosine(question: NDArray[np.float32], stored: bytes) -> float:
    """Return the cosine of a query vector and a stored vector of unit length."""
    return float(np.dot(unpack(stored), question))


def nearest(
    question: NDArray[np.float32], vectors: Mapping[int, bytes], count: int
) -> list[tuple[int, float]]:
    """Return the numbers and cosines of the nearest vectors, nearest first."""
    cosines = [(seq, cosine(question, stored)) for seq, stored in vectors.items()]
    return sorted(cosines, key=lambda each: (-each[1], each[0]))[:count]


def _similarity(
    question: NDArray[np.float32] | None, record: Stored, neighbour_share: float
) -> float | None:
    """Return the weighted mean of the best passage's cosine and those of short neighbours."""
    if question is None:
        return None
    own = [cosine(question, each.vector) for each in record.passages if each.vector is not None]
    if not own:
        return None
    parts = [(1.0, max(own))]
    for distance, near in record.around.items():
        if near.is_short and near.beginning.vector is not None:
            weight = neighbour_share ** abs(distance)
            parts.append((weight, cosine(question, near.beginning.vector)))
    return sum(weight * each for weight, each in parts) / sum(weight for weight, _ in parts)
