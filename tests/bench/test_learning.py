"""`bench.learning`: its tables, and what it lists of held-out sets."""

from __future__ import annotations

import json

import pytest
from bench.evaluation.turns import Aim, Judgement, PlayedTurn, SampleTurn
from bench.learning import main, share

from tests.bench.samples import LONGMEMEVAL


def test_turns_are_scored_by_half_and_language(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--set", "turns", "--sample", "3", "--json"])
    turns, labels = json.loads(capsys.readouterr().out)
    groups = {row["group"]: row for row in turns["rows"]}
    assert groups["both halves"]["turns"] == groups["later"]["turns"] == 3
    assert set(Aim) < set(groups["both halves"])
    assert labels["title"] == "unfounded proposals"


def test_other_sets_have_a_table_for_each_part(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--set", "fresh", "--set", "dialogues", "--set", "statements", "--sample", "2"])
    fresh, *dialogues, statements = json.loads(capsys.readouterr().out)
    assert sum(row["turns"] for row in fresh["rows"]) == 2
    assert len(dialogues) == 3
    assert all([row["kind"] for row in each["rows"]].count("all") == 1 for each in dialogues)
    assert sum(row["number"] for row in statements["rows"]) == 2


@pytest.mark.parametrize(("more", "listed"), [([], False), (["--unseal"], True)])
def test_failures_of_held_out_turns_are_listed_only_when_unsealed(
    more: list[str],
    listed: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bench.learning.play_turn", _failed)
    main(["--set", "fresh", "--sample", "1", "--failures", *more])
    assert ("- not correct stored [correct]: Oslo" in capsys.readouterr().out) is listed


def _failed(turn: SampleTurn) -> PlayedTurn:
    wrong = Judgement(Aim.STORE, "correct", "Oslo", is_right=False)
    return PlayedTurn(turn=turn, judgements=(wrong,), changes=())


def test_a_file_without_labelled_statements_is_refused() -> None:
    with pytest.raises(SystemExit, match="BEAM or LoCoMo"):
        main(["--set", "statements", str(LONGMEMEVAL)])


def test_a_share_of_nothing_is_empty() -> None:
    assert (share(1, 2), share(0, 0)) == ("50.0% (1 of 2)", "")
