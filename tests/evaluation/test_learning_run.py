"""`erstwhile eval learning`: the figures as JSON and as tables."""

from __future__ import annotations

from erstwhile.evaluation.learning_run import LearningSet, measure_learning
from erstwhile.evaluation.turn_report import Aim
from tests.cli.shell import at_terminal, run
from tests.evaluation.samples import LONGMEMEVAL


def test_a_sample_is_spread_over_a_set() -> None:
    figures = measure_learning([LearningSet.TURNS], sample=6)
    assert figures.turns is not None
    assert figures.turns.total().turns == 6
    assert len([line for line in figures.turns.lines if len(line.group) == 2]) >= 4
    assert figures.dialogues == ()


def test_json_has_the_figures_of_every_set() -> None:
    found = run("eval", "learning", "--sample", "3").data
    assert found["turns"]["lines"][0]["turns"] == 3
    assert [score["aim"] for score in found["turns"]["lines"][0]["scores"]] == list(Aim)
    totals = [line for line in found["dialogues"] if line["kind"] == "all"]
    assert [line["learner"] for line in totals] == ["patterns", "able", "careless"]
    assert {line["dialogues"] for line in totals} == {3}
    assert sum(line["sentences"] for line in found["statements"]) == 3


def test_one_set_can_be_chosen() -> None:
    found = run("eval", "learning", "--set", "dialogues", "--sample", "2").data
    assert found["turns"] is None
    assert found["dialogues"]


def test_a_file_without_labelled_statements_is_refused() -> None:
    ended = run("eval", "learning", "--set", "statements", str(LONGMEMEVAL))
    assert (ended.code, ended.error["error"]) == (2, "invalid_input")
    assert "BEAM or LoCoMo" in ended.error["remedy"]


def test_a_terminal_shows_tables() -> None:
    shown = at_terminal("eval", "learning", "--sample", "3")
    assert shown.code == 0
    words = " ".join(shown.words.split())
    for part in ("correct stored", "half a", "careless", "wrongly retired", "facts right"):
        assert part in words
