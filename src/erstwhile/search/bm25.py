"""How well a fact matches a question: BM25F over its own words and those around it.

What surrounds a short message says what it is about, so the terms of its neighbours in the
conversation count too, at a fraction. Each field is measured against the usual length of its kind,
and a term's weight saturates over both: a word that the fact itself has gains little from being
repeated next door.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from types import MappingProxyType
from typing import NamedTuple

SATURATION = 1.2
LENGTH_WEIGHT = 0.2
"""Low, because facts are short: a longer one is rarely longer for being about more."""
NEIGHBOUR_WEIGHT = 0.3
LONGEST_WITH_CONTEXT = 60
"""A longer text says itself what it is about."""
NEIGHBOUR_TERMS = 40
"""Of each neighbour, so that a long one does not drown the fact."""


class Document(NamedTuple):
    """The terms of a fact, and of the messages before and after it."""

    terms: Sequence[str]
    neighbours: Sequence[Sequence[str]] = ()

    @property
    def context(self) -> Sequence[str]:
        if not self.neighbours or len(self.terms) > LONGEST_WITH_CONTEXT:
            return ()
        return [term for terms in self.neighbours for term in terms[:NEIGHBOUR_TERMS]]


class Match(NamedTuple):
    """The score, and the share that each of the question's terms has in it."""

    score: float
    terms: Mapping[str, float]


_NO_MATCH = Match(0.0, MappingProxyType({}))


def rarity(holding: int, total: int) -> float:
    """How much a term tells: the rarer, the more."""
    return log(1 + (total - holding + 0.5) / (holding + 0.5))


def rank(weights: Mapping[str, float], documents: Sequence[Document]) -> list[Match]:
    """Score documents against the terms of a question, each with its rarity."""
    contexts = [document.context for document in documents]
    usual = _mean([len(document.terms) for document in documents])
    usual_context = _mean([len(context) for context in contexts if context])
    matches: list[Match] = []
    for document, context in zip(documents, contexts, strict=True):
        counts: dict[str, float] = {}
        _count(counts, weights, document.terms, 1.0 / _length(document.terms, usual))
        if context:
            _count(counts, weights, context, NEIGHBOUR_WEIGHT / _length(context, usual_context))
        matches.append(_match(weights, counts) if counts else _NO_MATCH)
    return matches


def _length(terms: Sequence[str], usual: float) -> float:
    """How long a field is, as far as that counts."""
    return 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * len(terms) / usual


def _count(
    counts: dict[str, float], weights: Mapping[str, float], terms: Sequence[str], step: float
) -> None:
    """Add a step for each of the question's terms, every time that it stands there."""
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
