"""Score the answers of a trial, by category and overall: recall, nDCG, and evidence in contexts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import log2
from statistics import fmean
from typing import NamedTuple

from bench.evaluation.trial import Answer


def recall_at(ranked: Sequence[str], relevant: Collection[str], depth: int) -> float:
    """Return the share of the relevant ids among the first `depth`."""
    return len(set(ranked[:depth]) & set(relevant)) / len(set(relevant))


def ndcg_at(ranked: Sequence[str], relevant: Collection[str], depth: int) -> float:
    """Return the normalised discounted cumulative gain; 1 is the best possible order."""
    found = [place for place, id in enumerate(ranked[:depth]) if id in relevant]
    best = range(min(depth, len(set(relevant))))
    return _gain(found) / _gain(best)


def _gain(places: Collection[int]) -> float:
    return sum(1 / log2(place + 2) for place in places)


class Metric(NamedTuple):
    """A metric, and the number of hits that it looks at."""

    of: Callable[[Sequence[str], Collection[str], int], float]
    depth: int


METRICS: Mapping[str, Metric] = {
    "recall@10": Metric(recall_at, 10),
    "recall@50": Metric(recall_at, 50),
    "ndcg@10": Metric(ndcg_at, 10),
}


class ContextScores(NamedTuple):
    """The mean share of the evidence that contexts quote, and their mean number of tokens."""

    evidence: float
    complete: float
    """The share of the contexts that quote all of the evidence."""
    tokens: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryScores:
    """The metrics of one category of questions, or of all questions."""

    category: str
    questions: int
    erstwhile: Mapping[str, float] = field(hash=False)
    baseline: Mapping[str, float] = field(hash=False)
    contexts: Mapping[int, ContextScores] = field(hash=False)
    """By the budget of the contexts."""


def summary(answers: Sequence[Answer]) -> list[CategoryScores]:
    """Return the metrics of each category and, last, of all questions."""
    categories = sorted({answer.question.category for answer in answers})
    lines = [
        _scores(name, [each for each in answers if each.question.category == name])
        for name in categories
    ]
    return [*(lines if len(lines) > 1 else ()), _scores("all", answers)]


def _scores(category: str, answers: Sequence[Answer]) -> CategoryScores:
    return CategoryScores(
        category=category,
        questions=len(answers),
        erstwhile={name: _mean(metric, answers) for name, metric in METRICS.items()},
        baseline={name: _mean(metric, answers, True) for name, metric in METRICS.items()},
        contexts={budget: _contexts(budget, answers) for budget in answers[0].shown},
    )


def _mean(metric: Metric, answers: Sequence[Answer], baseline: bool = False) -> float:
    return fmean(
        metric.of(
            each.baseline if baseline else each.found[metric.depth],
            each.question.relevant,
            metric.depth,
        )
        for each in answers
    )


def _contexts(budget: int, answers: Sequence[Answer]) -> ContextScores:
    shown = [each.shown[budget] for each in answers]
    return ContextScores(
        evidence=fmean(each.evidence for each in shown),
        complete=fmean(each.is_complete for each in shown),
        tokens=fmean(each.tokens for each in shown),
    )
