"""Scores of rankings that others made."""

from __future__ import annotations

import json
from pathlib import Path

from bench.evaluation.readers import read_questions
from bench.score.__main__ import main
from bench.score.figures import figure, recall_all, recall_any
from bench.score.pool import pooled
from click.testing import CliRunner

from tests.bench.samples import LONGMEMEVAL, asked, locomo, written


def test_one_found_turn_is_any_but_not_all() -> None:
    evidence = frozenset(("a", "b"))
    assert (recall_any(["c", "a"], evidence, 2), recall_all(["c", "a"], evidence, 2)) == (1, 0)
    assert (recall_any(["c", "a"], evidence, 1), recall_all(["b", "a"], evidence, 2)) == (0, 1)


def test_an_interval_contains_the_mean_and_depends_on_the_seed_only() -> None:
    values = [0.0, 1.0, 1.0, 0.0, 1.0] * 20
    first = figure(values, seed=1)
    assert first == figure(values, seed=1)
    assert 0 < first.low < first.mean == 0.6 < first.high < 1


def test_a_session_takes_the_place_of_its_first_turn(tmp_path: Path) -> None:
    file = written(tmp_path, "locomo.json", [locomo(asked(["D10:1"], 4))])
    pool = pooled(read_questions(file), "one")
    [(haystack, question)] = pool.questions()
    first, second = (item.id for item in haystack.items)
    assert question.evidence == {
        "turn": {second},
        "session": {pool.sessions[second]},
    }
    assert pool.ranked([second, first, second], "session") == [
        pool.sessions[second],
        pool.sessions[first],
    ]


def test_a_file_of_rankings_is_scored_beside_everything(tmp_path: Path) -> None:
    file = written(tmp_path, "locomo.json", [locomo(asked(["D10:1"], 4))])
    listed = CliRunner().invoke(main, ["questions", str(file)], catch_exceptions=False)
    question = json.loads(listed.output)["question"]
    mine = tmp_path / "mine.jsonl"
    store = question.rpartition("/")[0]
    mine.write_text(json.dumps({"question": question, "ranked": [f"{store}/D10:1"]}), "utf-8")
    line = ["score", str(file), str(mine), "--json"]
    [result] = json.loads(CliRunner().invoke(main, line, catch_exceptions=False).output)
    everything, turns, *_ = result["rows"]
    assert (everything["system"], everything["recall_all"]) == ("full context", "1.0000")
    assert (turns["system"], turns["ndcg"]) == ("mine", "1.0000 (1.000–1.000)")
    assert 0 < turns["tokens"] < everything["tokens"]


def test_longmemeval_is_ranked_and_scored_by_turn_and_by_session(tmp_path: Path) -> None:
    mine = tmp_path / "bm25.jsonl"
    runner = CliRunner()
    runner.invoke(main, ["rank", str(LONGMEMEVAL), "bm25", str(mine)], catch_exceptions=False)
    line = ["score", str(LONGMEMEVAL), str(mine), "--json"]
    [result] = json.loads(runner.invoke(main, line, catch_exceptions=False).output)
    assert result["title"] == "LongMemEval"
    levels = {row["level"]: row["recall_all"] for row in result["rows"] if row["depth"] == 10}
    assert levels["turn"].startswith("1.0000")
    assert levels["session"].startswith("1.0000")
    named = [json.loads(each)["question"] for each in mine.read_text("utf-8").splitlines()]
    assert named == ["q1", "q2"]  # the ids of the file
