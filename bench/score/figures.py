"""Figures of rankings, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

from bench.evaluation.scores import ndcg_at, recall_at
from bench.score.pool import LEVELS, Asked, Pool

RESAMPLES = 1_000
DEPTHS = (5, 10)


class Figure(NamedTuple):
    """A mean over questions, with the bounds of its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.4f} ({self.low:.3f}–{self.high:.3f})"


def figure(values: Sequence[float], seed: int) -> Figure:
    """Draw the questions again a thousand times, with replacement."""
    drawn = np.random.default_rng(seed).choice(np.array(values), (RESAMPLES, len(values)))
    low, high = np.quantile(drawn.mean(axis=1), (0.025, 0.975))
    return Figure(fmean(values), float(low), float(high))


def recall_any(ranked: Sequence[str], evidence: frozenset[str], depth: int) -> float:
    return float(recall_at(ranked, evidence, depth) > 0)


def recall_all(ranked: Sequence[str], evidence: frozenset[str], depth: int) -> float:
    return float(recall_at(ranked, evidence, depth) == 1)


METRICS: Mapping[str, Callable[[Sequence[str], frozenset[str], int], float]] = {
    "recall_any": recall_any,
    "recall_all": recall_all,
    "recall": recall_at,
    "ndcg": ndcg_at,
}


def rows(
    name: str,
    pool: Pool,
    ranked: Mapping[str, Sequence[str]],
    tokens: Callable[[str], int],
    seed: int,
) -> list[dict[str, str | float]]:
    """Return a row for each level and depth. A question without a ranking found nothing."""
    return [
        {
            "system": name,
            "level": level,
            "depth": depth,
            **_row(
                pool,
                [each for _, each in pool.questions() if level in each.evidence],
                ranked,
                level,
                depth,
                seed,
            ),
            "tokens": _tokens(pool, ranked, depth, tokens) if level == "turn" else "",
        }
        for level in LEVELS
        for depth in DEPTHS
        if any(level in each.evidence for _, each in pool.questions())
    ]


def _row(
    pool: Pool,
    asked: Sequence[Asked],
    ranked: Mapping[str, Sequence[str]],
    level: str,
    depth: int,
    seed: int,
) -> dict[str, str | float]:
    found = [(pool.ranked(ranked.get(each.id, ()), level), each.evidence[level]) for each in asked]
    values = {
        name: [metric(ids, evidence, depth) for ids, evidence in found]
        for name, metric in METRICS.items()
    }
    figures = {name: str(figure(each, seed)) for name, each in values.items()}
    return {"questions": len(asked), **figures}


def _tokens(
    pool: Pool, ranked: Mapping[str, Sequence[str]], depth: int, tokens: Callable[[str], int]
) -> float:
    """Return the mean tokens of the first texts; ids of sessions are not texts."""
    shown = [pool.ranked(ranked.get(each.id, ()), "turn")[:depth] for _, each in pool.questions()]
    return round(fmean(sum(tokens(pool.texts.get(id, "")) for id in ids) for ids in shown), 1)


def full_context(pool: Pool, tokens: Callable[[str], int]) -> list[dict[str, str | float]]:
    """Return what a prompt with everything costs: all evidence, no order."""
    each = [sum(tokens(item.text) for item in haystack.items) for haystack in pool.haystacks]
    counts = [
        count for count, asked in zip(each, pool.asked, strict=True) for _ in range(len(asked))
    ]
    row: dict[str, str | float] = {"system": "full context", "level": "turn", "depth": "all"}
    found = dict.fromkeys(("recall_any", "recall_all", "recall"), "1.0000")
    return [
        {**row, "questions": len(counts), **found, "ndcg": "", "tokens": round(fmean(counts), 1)}
    ]
