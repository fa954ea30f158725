"""The oracle: the same scores by the plainest way, over all facts, with nothing left out.

No index, no candidates, no cache: every fact is compared with the question, its stored vector in
full. Slow and obviously right, it is what tests hold recall against.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from erstwhile.search import bm25
from erstwhile.search.vectors import unpack

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Stored:
    """A fact as it is stored: its number, its terms, its vector, its neighbours by distance."""

    seq: int
    terms: Sequence[str]
    vector: bytes | None = None
    around: Mapping[int, Stored] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Compared:
    """How well a fact matches a question, by its words and by its meaning."""

    seq: int
    match: bm25.Match
    cosine: float | None


def compare(
    weights: Mapping[str, float],
    question: NDArray[np.float32] | None,
    facts: Sequence[Stored],
    neighbour_share: float,
) -> list[Compared]:
    """Every fact that has something to compare: a vector, or a term in or next to it."""
    able = [fact for fact in facts if _has_something(fact, weights, question is not None)]
    documents = [
        bm25.Document(fact.terms, [other.terms for other in fact.around.values()]) for fact in able
    ]
    return [
        Compared(fact.seq, match, _similarity(question, fact, neighbour_share))
        for fact, match in zip(able, bm25.rank(weights, documents), strict=True)
    ]


def cosine(question: NDArray[np.float32], stored: bytes) -> float:
    """The similarity of a question to a stored vector; both have unit length."""
    return float(np.dot(unpack(stored), question))


def nearest(
    question: NDArray[np.float32], vectors: Mapping[int, bytes], count: int
) -> list[tuple[int, float]]:
    """The numbers and similarities of the nearest, nearest first."""
    cosines = [(seq, cosine(question, stored)) for seq, stored in vectors.items()]
    return sorted(cosines, key=lambda each: (-each[1], each[0]))[:count]


def _has_something(fact: Stored, weights: Mapping[str, float], with_meaning: bool) -> bool:
    said = set(fact.terms).union(*(other.terms for other in fact.around.values()))
    return bool(said & weights.keys()) or (with_meaning and fact.vector is not None)


def _similarity(
    question: NDArray[np.float32] | None, fact: Stored, neighbour_share: float
) -> float | None:
    """Its own similarity and its neighbours', each counting less the farther away it stands."""
    if question is None or fact.vector is None:
        return None
    parts = [(1.0, cosine(question, fact.vector))]
    for distance, other in fact.around.items():
        if other.vector is not None:
            parts.append((neighbour_share ** abs(distance), cosine(question, other.vector)))
    return sum(weight * each for weight, each in parts) / sum(weight for weight, _ in parts)
