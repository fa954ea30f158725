"""The metrics, compared with values calculated by hand."""

from __future__ import annotations

from math import log2

import pytest

from erstwhile.evaluation.metrics import HITS, LIMITS, METRICS, hit_at, ndcg_at, recall_at

RANKED = ["a", "x", "b", "y", "z", "c"]


@pytest.mark.parametrize(("depth", "recall"), [(1, 1 / 3), (3, 2 / 3), (5, 2 / 3), (6, 1.0)])
def test_recall_counts_what_is_near_the_top(depth: int, recall: float) -> None:
    assert recall_at(RANKED, {"a", "b", "c"}, depth) == pytest.approx(recall)


def test_hit_asks_for_one() -> None:
    assert (hit_at(RANKED, {"b"}, 2), hit_at(RANKED, {"b"}, 3)) == (0.0, 1.0)


def test_ndcg_counts_less_further_down() -> None:
    found = 1 / log2(2) + 1 / log2(4)
    best = 1 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert ndcg_at(RANKED, {"a", "b", "c"}, 5) == pytest.approx(found / best)
    assert ndcg_at(["a", "b", "c"], {"a", "b", "c"}, 10) == pytest.approx(1.0)
    assert ndcg_at(["x"], {"a"}, 10) == 0.0


def test_the_best_order_is_limited_by_the_depth() -> None:
    assert ndcg_at(["a", "b"], {"a", "b", "c"}, 2) == pytest.approx(1.0)


def test_each_metric_is_asked_for_enough_hits() -> None:
    for metric in (*METRICS.values(), *HITS.values()):
        assert metric.depth <= metric.asked
        assert metric.asked in LIMITS
