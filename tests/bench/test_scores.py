"""The metrics and their means, compared with values calculated by hand."""

from __future__ import annotations

from math import log2

import pytest
from bench.evaluation.haystack import Question
from bench.evaluation.scores import METRICS, ndcg_at, recall_at, summary
from bench.evaluation.trial import LIMITS, Answer, Shown

RANKED = ["a", "x", "b", "y", "z", "c"]


@pytest.mark.parametrize(("depth", "recall"), [(1, 1 / 3), (3, 2 / 3), (5, 2 / 3), (6, 1.0)])
def test_recall_counts_what_is_near_the_top(depth: int, recall: float) -> None:
    assert recall_at(RANKED, {"a", "b", "c"}, depth) == pytest.approx(recall)


def test_ndcg_counts_less_further_down() -> None:
    found = 1 / log2(2) + 1 / log2(4)
    best = 1 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert ndcg_at(RANKED, {"a", "b", "c"}, 5) == pytest.approx(found / best)
    assert ndcg_at(["a", "b", "c"], {"a", "b", "c"}, 10) == pytest.approx(1.0)
    assert ndcg_at(["x"], {"a"}, 10) == 0.0


def test_the_best_order_is_limited_by_the_depth() -> None:
    assert ndcg_at(["a", "b"], {"a", "b", "c"}, 2) == pytest.approx(1.0)


def test_each_metric_has_hits_to_look_at() -> None:
    assert {metric.depth for metric in METRICS.values()} == set(LIMITS)


def test_figures_come_by_category_and_overall() -> None:
    one = Question(text="Which animals?", relevant={"cow", "hen"}, category="one")
    two = Question(text="Which bird?", relevant={"hen"}, category="two")
    shown = [{7: Shown(evidence=share, tokens=10)} for share in (0.5, 1.0)]
    lines = summary(
        [
            Answer(question=one, found={10: ["cow"], 50: []}, baseline=[], shown=shown[0]),
            Answer(question=two, found={10: ["hen"], 50: []}, baseline=["hen"], shown=shown[1]),
        ]
    )
    assert [line.category for line in lines] == ["one", "two", "all"]
    assert [line.questions for line in lines] == [1, 1, 2]
    assert [line.erstwhile["recall@10"] for line in lines] == [0.5, 1.0, 0.75]
    assert lines[-1].erstwhile["recall@50"] == 0.0
    assert [line.baseline["recall@10"] for line in lines] == [0.0, 1.0, 0.5]
    assert [line.contexts[7].evidence for line in lines] == [0.5, 1.0, 0.75]
    assert lines[-1].contexts[7].tokens == 10
