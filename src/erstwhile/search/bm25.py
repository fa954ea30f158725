"""BM25 of passages: score records against a query by their best passage.

A long text is split into passages, and its score is the score of its best passage. A short message
is hard to understand alone, so the messages before and after it count too, with a smaller weight. A
term's weight saturates over both: a term in the passage gains little when a neighbour repeats it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import log
from types import MappingProxyType
from typing import NamedTuple

SATURATION = 0.9
LENGTH_WEIGHT = 0.2
"""Low, because a longer passage rarely covers more topics."""
USUAL_LENGTH = 50
"""The terms of a usual passage. Passages have a bounded length, so no mean has to be counted."""
USUAL_IDF = 5.0
"""The weight of a term whose frequency is not known."""
NEIGHBOUR_WEIGHT = 0.3
MAX_WITH_CONTEXT = 60
"""Neighbours count only for texts of at most this many terms."""
NEIGHBOUR_TERMS = 40
"""The terms read of each neighbour, so that a long one does not outweigh the passage."""


class Document(NamedTuple):
    """The passages of a record, each as its terms joined by spaces.

    Passages without a query term may be left out. `neighbours` has the terms of the messages before
    and after a record that has one passage.
    """

    passages: Sequence[str]
    neighbours: Sequence[str] = ()


class Match(NamedTuple):
    """The score of the best passage, the share of each query term in it, and its place."""

    score: float
    terms: Mapping[str, float]
    passage: int


_NO_MATCH = Match(0.0, MappingProxyType({}), 0)


def idf(containing: int, total: int) -> float:
    """Return the inverse document frequency of a term: the rarer the term, the higher."""
    return log(1 + (total - containing + 0.5) / (containing + 0.5))


def rank(weights: Mapping[str, float], documents: Sequence[Document]) -> list[Match]:
    """Score documents against query terms; `weights` has the idf of each term."""
    searched = frozenset(weights)

    @cache  # adjacent messages have common neighbours
    def terms_of_neighbour(neighbour: str) -> list[str]:
        beginning = neighbour.split(None, NEIGHBOUR_TERMS)[:NEIGHBOUR_TERMS]
        return [term for term in beginning if term in weights]

    def match(document: Document) -> Match:
        best = _NO_MATCH
        for place, passage in enumerate(document.passages):
            terms = passage.split()
            step = 1 / (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * len(terms) / USUAL_LENGTH)
            counts = {term: step * terms.count(term) for term in searched.intersection(terms)}
            if len(terms) <= MAX_WITH_CONTEXT:
                for neighbour in document.neighbours:
                    for term in terms_of_neighbour(neighbour):
                        counts[term] = counts.get(term, 0.0) + NEIGHBOUR_WEIGHT
            shares = {
                term: weights[term] * count * (SATURATION + 1) / (count + SATURATION)
                for term, count in counts.items()
            }
            score = sum(shares.values())
            if score > best.score:
                best = Match(score, shares, place)
        return best

    return [match(document) for document in documents]
