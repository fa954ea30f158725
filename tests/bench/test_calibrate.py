"""The programs that fit and measure relevance."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import calibrate, rules, small_memories
from tests.bench.samples import asked, locomo, written


def test_numbers_are_fitted_to_questions_of_two_memories(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    memories = [locomo(asked([evidence], 4)) for evidence in ("D2:1", "D10:1")]
    file = written(tmp_path, "locomo.json", memories)
    calibrate.main([str(file), "--embedder", "none", "--json"])
    numbers, _, table = capsys.readouterr().out.partition("[\n")
    names = [line.split(" = ")[0] for line in numbers.splitlines()]
    assert names == ["slope", "nearest", "bias", "unknown", "subject"]
    [result] = json.loads(f"[{table}")
    assert result["rows"][0]["questions"].startswith("LoCoMo, large")


def test_small_memories_know_what_they_do_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    small_memories.main(["--embedder", "none", "--json"])
    [result] = json.loads(capsys.readouterr().out)
    for row in result["rows"]:
        assert row["first"] <= row["found"]
        assert row["nothing, unanswered"] > (0.4 if row["memories"] == "fresh" else 0.7)


def test_each_rule_is_switched_off_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, "locomo.json", [locomo(asked(["D2:1"], 4)) for _ in range(3)])
    rules.main([str(file), "--embedder", "none", "--json"])
    [result] = json.loads(capsys.readouterr().out)
    assert [row["without"] for row in result["rows"]] == [*rules.RULES]
    first, *_ = result["rows"]
    rules.main([str(file), "--embedder", "none", "--json", "--only", "everything on"])
    [again] = json.loads(capsys.readouterr().out)
    assert again["rows"] == [first]
