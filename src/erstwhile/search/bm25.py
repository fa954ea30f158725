"""BM25F: score facts against a query by their own terms and the terms of their neighbours.

A short message is hard to understand alone, so the messages before and after it count too, with a
smaller weight. Each field is normalised by the mean length of that field. A term's weight saturates
over both fields: a term in the fact gains little when a neighbour repeats it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from types import MappingProxyType
from typing import NamedTuple

SATURATION = 1.2
LENGTH_WEIGHT = 0.2
"""Low, because facts are short: a longer fact rarely covers more topics."""
NEIGHBOUR_WEIGHT = 0.3
LONGEST_WITH_CONTEXT = 60
"""Neighbours count only for texts of at most this many terms."""
NEIGHBOUR_TERMS = 40
"""The terms read of each neighbour, so that a long one does not outweigh the fact."""


class Document(NamedTuple):
    """The terms of a fact, and the terms of the messages before and after it."""

    passages: Sequence[str]
    neighbours: Sequence[str] = ()
    weight: float = 1.0

    @property
    def terms(self) -> Sequence[str]:
        return " ".join(self.passages).split()

    @property
    def context(self) -> Sequence[str]:
        """The terms of the neighbours, if they count."""
        if not self.neighbours or len(self.terms) > LONGEST_WITH_CONTEXT:
            return ()
        return [term for terms in self.neighbours for term in terms.split()[:NEIGHBOUR_TERMS]]


class Match(NamedTuple):
    """A score, and the share of each query term in it."""

    score: float
    terms: Mapping[str, float]
    passage: int = 0


_NO_MATCH = Match(0.0, MappingProxyType({}))


def idf(containing: int, total: int) -> float:
    """Return the inverse document frequency of a term: the rarer the term, the higher."""
    return log(1 + (total - containing + 0.5) / (containing + 0.5))


def rank(weights: Mapping[str, float], documents: Sequence[Document]) -> list[Match]:
    """Score documents against query terms; `weights` has the idf of each term."""
    contexts = [document.context for document in documents]
    mean = _mean([len(document.terms) for document in documents])
    mean_context = _mean([len(context) for context in contexts if context])
    matches: list[Match] = []
    for document, context in zip(documents, contexts, strict=True):
        counts: dict[str, float] = {}
        _count(counts, weights, document.terms, 1.0 / _length(document.terms, mean))
        if context:
            _count(counts, weights, context, NEIGHBOUR_WEIGHT / _length(context, mean_context))
        matches.append(_match(weights, counts) if counts else _NO_MATCH)
    return matches


def _length(terms: Sequence[str], mean: float) -> float:
    """Return the length normalisation of a field."""
    return 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * len(terms) / mean


def _count(
    counts: dict[str, float], weights: Mapping[str, float], terms: Sequence[str], step: float
) -> None:
    """Add `step` to the count of a query term for each of its occurrences."""
    for term in terms:
        if term in weights:
            counts[term] = counts.get(term, 0.0) + step


def _match(weights: Mapping[str, float], counts: Mapping[str, float]) -> Match:
    parts = {
        term: weights[term] * count * (SATURATION + 1) / (count + SATURATION)
        for term, count in counts.items()
    }
    return Match(sum(parts.values()), parts)


def _mean(numbers: Sequence[int]) -> float:
    return max(sum(numbers) / len(numbers), 1.0) if numbers else 1.0
