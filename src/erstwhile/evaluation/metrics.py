"""Ranking metrics: recall, hit rate and nDCG."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import log2
from statistics import fmean

DEEPEST = 20
"""The lowest rank that the metrics use."""

Metric = Callable[[Sequence[str], Collection[str]], float]


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


METRICS: Mapping[str, Metric] = {
    "recall@5": lambda ranked, relevant: recall_at(ranked, relevant, 5),
    "recall@10": lambda ranked, relevant: recall_at(ranked, relevant, 10),
    "recall@20": lambda ranked, relevant: recall_at(ranked, relevant, 20),
    "ndcg@10": lambda ranked, relevant: ndcg_at(ranked, relevant, 10),
}


def averages(
    answers: Sequence[tuple[Sequence[str], Collection[str]]],
    metrics: Mapping[str, Metric] = METRICS,
) -> dict[str, float]:
    """Return the mean of each metric over pairs of a ranking and its relevant ids."""
    return {
        name: fmean(metric(ranked, relevant) for ranked, relevant in answers)
        for name, metric in metrics.items()
    }


def _gain(places: Collection[int]) -> float:
    return sum(1 / log2(place + 2) for place in places)
