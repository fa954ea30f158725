"""`erstwhile remember`."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Cli
from tests.cli.shell import run


def test_a_fact_is_stored_and_shown_with_all_fields(cli: Cli) -> None:
    fact = cli("--user", "ana", "remember", "Ana prefers pnpm").data
    assert fact["text"] == "Ana prefers pnpm"
    assert fact["scope"] == {"user": "ana", "agent": None, "project": None, "session": None}
    assert (fact["state"], fact["kind"], fact["evidence"]) == ("live", "fact", 1)
    assert fact["id"].startswith(fact["short_id"])
    assert fact["recorded_at"].endswith("Z")
    assert cli("--user", "ana", "facts", "show", fact["id"]).data == fact


def test_every_detail_reaches_the_fact(cli: Cli) -> None:
    fact = cli(
        "remember", "The shop runs on Postgres", "--kind", "environment", "--key", "database",
        "--entity", "Ana", "--entity", "shop", "--relation", "shop|runs on|Postgres",
        "--tag", "db", "--tag", "ops", "--metadata", '{"ticket": 42, "名": ["値"]}',
        "--confidence", "0.6", "--tier", "inferred", "--valid-from", "2026-03-01",
        "--expires", "2999-01-01T12:00:00+01:00", "--origin", "imported", "--source", "c1", "--pin",
    ).data  # fmt: skip
    wanted = {
        "kind": "environment",
        "key": "database",
        "entities": ["Ana", "shop", "Postgres"],
        "relations": [{"subject": "shop", "predicate": "runs on", "object": "Postgres"}],
        "tags": ["db", "ops"],
        "metadata": {"ticket": 42, "名": ["値"]},
        "confidence": 0.6,
        "tier": "inferred",
        "valid_from": "2026-03-01T00:00:00.000000Z",
        "expires_at": "2999-01-01T11:00:00.000000Z",
        "origin": "imported",
        "trust": "trusted",
        "source": {"conversation": "c1", "messages": []},
        "pinned": True,
    }
    assert {name: fact[name] for name in wanted} == wanted


def test_a_repeat_adds_evidence(cli: Cli) -> None:
    first = cli("remember", "Ana prefers pnpm").data
    again = cli("remember", "ana  PREFERS pnpm").data
    assert (again["id"], again["evidence"]) == (first["id"], 2)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--metadata", "{"), "not JSON"),
        (("--metadata", "[1]"), "not a JSON object"),
        (("--relation", "shop|Postgres"), "subject|predicate|object"),
        (("--kind", "rumour"), "'rumour' is not one of"),
        (("--confidence", "much"), "not a valid float"),
        (("--confidence", "1.5"), "between 0 and 1"),
        (("--expires", "next week"), "not a time"),
        (("--tier", "stated", "--origin", "web"), "cannot have the tier stated"),
    ],
    ids=str,
)
def test_a_wrong_detail_is_refused(options: tuple[str, ...], complaint: str, cli: Cli) -> None:
    ended = cli("remember", "Ana prefers pnpm", *options)
    assert ended.code == 2
    assert complaint in ended.error["message"]
    assert cli("facts", "list").items == []


def test_the_remedy_names_options(cli: Cli) -> None:
    """A remedy for Python would not help here."""
    assert "--expires" in cli("remember", "On holiday", "--expires", "2020-01-01").error["remedy"]


def test_lines_of_standard_input_are_stored_together(cli: Cli) -> None:
    lines = "\ufeffAna prefers pnpm\r\n\n  数据库是 Postgres  \nana prefers PNPM"
    listed = cli("remember", "-", "--tag", "notes", typed=lines.encode())
    texts = [fact["text"] for fact in listed.items]
    assert texts == ["Ana prefers pnpm", "数据库是 Postgres", "Ana prefers pnpm"]
    assert listed.data["next"] is None
    stored = cli("facts", "list", "--tag", "notes").items
    assert [(fact["text"], fact["evidence"]) for fact in stored] == [
        ("数据库是 Postgres", 1),
        ("Ana prefers pnpm", 2),
    ]


def test_one_bad_line_stores_none(cli: Cli) -> None:
    """The message names the line as an editor counts it."""
    ended = cli("remember", "-", typed=b"good\n\n" + b"x" * 100_001 + b"\ngood too\n")
    assert ended.code == 2
    assert ended.error["error"] == "too_large"
    assert ended.error["message"].startswith("line 3: ")
    assert cli("facts", "list").items == []


def test_lines_that_are_not_utf_8_are_refused(cli: Cli) -> None:
    ended = cli("remember", "-", typed=b"good\ncaf\xe9\n")
    assert (ended.code, ended.error["message"]) == (2, "line 2 is not UTF-8")


def test_empty_input_is_no_error(cli: Cli) -> None:
    assert cli("remember", "-", typed=b"\n").items == []


def test_a_pipe_is_read_and_json_is_utf_8(monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds in every locale."""
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    ended = run("remember", "-", typed="数据库".encode())
    assert [fact["text"] for fact in ended.items] == ["数据库"]
    assert "数据库" in ended.out


def test_bytes_that_are_no_text_are_refused() -> None:
    ended = run("remember", "caf\udce9")
    assert ended.code == 2
    assert "surrogate" in ended.error["message"]


def test_what_a_fact_is_next_to_is_told_with_what_to_do(cli: Cli) -> None:
    lisbon = cli("remember", "Ana lives in Lisbon").data
    told = cli("--format", "jsonl", "remember", "Ana lives in Porto")
    assert json.loads(told.out)["conflicts"][0]["id"] == lisbon["id"]
    assert f"It may contradict {lisbon['short_id']} (since 20" in told.err
    assert f"erstwhile facts retire {lisbon['short_id']} --ending superseded" in told.err
    cli("facts", "retire", lisbon["short_id"], "--ending", "superseded")
    assert "conflicts" not in cli("remember", "Ana lives in Porto").data
