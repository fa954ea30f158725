"""The oracle: exact scores over all facts, without index, candidates or cache."""

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
    """A stored fact: its number, terms, vector, and neighbours by distance."""

    seq: int
    terms: Sequence[str]
    vector: bytes | None = None
    around: Mapping[int, Stored] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Compared:
    """The BM25 match and the cosine of a fact."""

    seq: int
    match: bm25.Match
    cosine: float | None


def compare(
    weights: Mapping[str, float],
    question: NDArray[np.float32] | None,
    facts: Sequence[Stored],
    neighbour_share: float,
) -> list[Compared]:
    """Score every fact with a vector, or with a term in it or its neighbours."""
    able = [fact for fact in facts if _has_something(fact, weights, question is not None)]
    documents = [
        bm25.Document(
            [" ".join(fact.terms)], [" ".join(each.terms) for each in fact.around.values()]
        )
        for fact in able
    ]
    return [
        Compared(fact.seq, match, _similarity(question, fact, neighbour_share))
        for fact, match in zip(able, bm25.rank(weights, documents), strict=True)
    ]


def cosine(question: NDArray[np.float32], stored: bytes) -> float:
    """Return the cosine of a query vector and a stored vector of unit length."""
    return float(np.dot(unpack(stored), question))


def nearest(
    question: NDArray[np.float32], vectors: Mapping[int, bytes], count: int
) -> list[tuple[int, float]]:
    """Return the numbers and cosines of the nearest vectors, nearest first."""
    cosines = [(seq, cosine(question, stored)) for seq, stored in vectors.items()]
    return sorted(cosines, key=lambda each: (-each[1], each[0]))[:count]


def _has_something(fact: Stored, weights: Mapping[str, float], with_meaning: bool) -> bool:
    said = set(fact.terms).union(*(other.terms for other in fact.around.values()))
    return bool(said & weights.keys()) or (with_meaning and fact.vector is not None)


def _similarity(
    question: NDArray[np.float32] | None, fact: Stored, neighbour_share: float
) -> float | None:
    """Return the weighted mean of the fact's cosine and those of its neighbours."""
    if question is None or fact.vector is None:
        return None
    parts = [(1.0, cosine(question, fact.vector))]
    for distance, other in fact.around.items():
        if other.vector is not None:
            parts.append((neighbour_share ** abs(distance), cosine(question, other.vector)))
    return sum(weight * each for weight, each in parts) / sum(weight for weight, _ in parts)
