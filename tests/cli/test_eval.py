"""`erstwhile eval`: saved questions against an existing memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.cli.shell import at_terminal

ANA = ("--user", "ana", "--embedder", "none")


@pytest.fixture
def file(cli: Cli, tmp_path: Path) -> Path:
    cli(*ANA, "remember", "Ana is allergic to nuts")
    fact = cli(*ANA, "remember", "The shop runs on Postgres").data
    return saved(
        tmp_path,
        {"question": "what is Ana allergic to?", "expect": "NUTS"},
        {"question": "what does the shop run on?", "expect": [fact["short_id"]]},
        {"question": "how tall is the Eiffel tower?", "expect": []},
    )


def saved(folder: Path, *questions: Any) -> Path:
    file = folder / "questions.jsonl"
    file.write_text("\n".join(map(json.dumps, questions)) + "\n\n", "utf-8")
    return file


def test_saved_questions_measure_the_memory_of_the_call(cli: Cli, file: Path) -> None:
    """`--user`, `--db` and `--format` are those of every command, on either side of it."""
    found = cli(*ANA, "eval", str(file)).data
    assert (found["questions"], found["answered"], found["failed"]) == (3, 3, [])
    assert (found["recall"], found["mean_reciprocal_rank"]) == (1.0, 1.0)
    other = cli("eval", str(file), "--user", "bob", "--format", "json")
    assert other.code == 4
    assert json.loads(other.out)["answered"] == 1
    assert cli("eval", str(file), "--db", "/nowhere/x.db").error["error"] == "not_found"


def test_the_exit_code_tells_ci_whether_enough_is_answered(cli: Cli, file: Path) -> None:
    cli(*ANA, "facts", "forget", "The shop runs on Postgres")
    ended = cli(*ANA, "eval", str(file))
    assert ended.code == 4
    [failed] = json.loads(ended.out)["failed"]
    assert (failed["line"], failed["question"]) == (2, "what does the shop run on?")
    assert failed["problem"].startswith("not found: ")
    assert cli(*ANA, "eval", str(file), "--min", "0.6").code == 0
    shown = at_terminal(*ANA, "eval", str(file), columns=80)
    assert shown.code == 4
    assert "2 of 3 questions answered" in shown.words


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "[]",
        '{"question": "x"}',
        '{"question": "", "expect": []}',
        '{"question": "x", "expect": [1]}',
        '{"question": "x", "expect": [], "more": 1}',
    ],
)
def test_a_line_that_is_no_question_is_named(cli: Cli, tmp_path: Path, line: str) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(line, "utf-8")
    refused = cli("eval", str(file)).error
    assert "question" in refused["message"]
    assert '"expect"' in refused["remedy"]
