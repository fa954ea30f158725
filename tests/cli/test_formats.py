"""Results as JSON lines and CSV."""

from __future__ import annotations

import csv
import json
from io import StringIO

import pytest

from tests.cli.conftest import Cli
from tests.cli.shell import at_terminal


@pytest.fixture
def three(cli: Cli) -> list[str]:
    """Store three facts, and return their texts, the newest first."""
    texts = ["Ana likes tea", 'Ana says "no", twice', "安娜喜欢茶"]
    for text in texts:
        cli("remember", text, "--tag", "drink", "--tag", "habit")
    return texts[::-1]


def test_json_lines_have_one_result_each(cli: Cli, three: list[str]) -> None:
    ended = cli("facts", "list", "--format", "jsonl")
    assert [json.loads(line)["text"] for line in ended.out.splitlines()] == three
    assert ended.err == ""


def test_csv_has_names_and_one_row_for_each_result(cli: Cli, three: list[str]) -> None:
    rows = list(csv.DictReader(StringIO(cli("facts", "list", "--format", "csv").out)))
    assert [row["text"] for row in rows] == three
    assert json.loads(rows[0]["tags"]) == ["drink", "habit"]
    assert (rows[0]["key"], rows[0]["pinned"], rows[0]["scope.user"]) == ("", "false", "")


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_it_is_told_that_there_is_more(form: str, cli: Cli, three: list[str]) -> None:
    ended = cli("facts", "list", "--limit", "2", "--format", form)
    assert len(ended.out.splitlines()) == (3 if form == "csv" else 2)
    cursor = ended.err.split("--cursor ")[1].strip()
    rest = cli("facts", "list", "--limit", "2", "--format", form, "--cursor", cursor)
    assert three[2] in rest.out
    assert rest.err == ""


def test_hits_of_recall_are_rows(cli: Cli, three: list[str]) -> None:
    [row] = csv.DictReader(StringIO(cli("recall", "tea", "--limit", "1", "--format", "csv").out))
    assert row["record.text"] == three[2]
    line = json.loads(cli("recall", "tea", "--limit", "1", "--format", "jsonl").out)
    assert line["record"]["text"] == three[2]


def test_a_single_record_is_one_row(cli: Cli) -> None:
    rows = list(csv.DictReader(StringIO(cli("stats", "--format", "csv").out)))
    assert [row["live"] for row in rows] == ["0"]


def test_an_empty_list_has_no_rows(cli: Cli) -> None:
    assert cli("facts", "list", "--format", "csv").out == ""
    assert cli("facts", "list", "--format", "jsonl").out == ""


def test_json_is_a_format_and_a_table_can_be_asked_for(cli: Cli, three: list[str]) -> None:
    assert cli("facts", "list", "--format", "json") == cli("facts", "list", "--json")
    assert three[2] in cli("facts", "list", "--format", "table").out
    assert "{" not in cli("facts", "list", "--format", "table").out


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_an_error_is_json_on_a_terminal_too(form: str) -> None:
    ended = at_terminal("facts", "show", "0000-0000", "--format", form)
    assert ended.code == 3
    assert json.loads(ended.words)["error"] == "not_found"
