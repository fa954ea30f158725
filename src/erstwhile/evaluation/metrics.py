"""Ranking metrics: recall, hit rate and nDCG."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import log2
from typing import NamedTuple


def recall_at(ranked: Sequence[str], relevant: Collection[str], depth: int) -> float:
    """Return the share of the relevant ids among the first `depth`."""
    return len(set(ranked[:depth]) & set(relevant)) / len(set(relevant))


def hit_at(ranked: Sequence[str], relevant: Collection[str], depth: int) -> float:
    """Return 1 if any of the first `depth` ids is relevant, else 0."""
    return float(not set(ranked[:depth]).isdisjoint(relevant))


def ndcg_at(ranked: Sequence[str], relevant: Collection[str], depth: int) -> float:
    """Return the normalised discounted cumulative gain; 1 is the best possible order."""
    found = [place for place, id in enumerate(ranked[:depth]) if id in relevant]
    best = range(min(depth, len(set(relevant))))
    return _gain(found) / _gain(best)


class Metric(NamedTuple):
    """A metric, and the number of hits that are asked for to compute it."""

    of: Callable[[Sequence[str], Collection[str], int], float]
    depth: int
    asked: int


METRICS: Mapping[str, Metric] = {
    "recall@10": Metric(recall_at, 10, 10),
    "recall@50": Metric(recall_at, 50, 50),
    "ndcg@10": Metric(ndcg_at, 10, 10),
}
HITS: Mapping[str, Metric] = {"hit@1": Metric(hit_at, 1, 10), "hit@3": Metric(hit_at, 3, 10)}
LIMITS = (10, 50)
"""How many hits are asked for: a search for more may order the first ones differently."""


def _gain(places: Collection[int]) -> float:
    return sum(1 / log2(place + 2) for place in places)
