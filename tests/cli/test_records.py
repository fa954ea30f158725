"""`erstwhile outcomes`, `lessons`, `observations`, `limitations`, `usage` and `profile`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import erstwhile
from erstwhile.cli.views.records import table, view
from tests.cli.conftest import Cli
from tests.cli.shell import at_terminal, rendered

MAKING: dict[str, tuple[str, ...]] = {
    "outcomes": ("outcomes", "add", "deploy", "-1", "--note", "rolled back", "--source", "user"),
    "lessons": ("lessons", "add", "deploy", "Ask first"),
    "observations": ("observations", "add", "bugfix", "A race", "--what", "x", "--where", "a.py"),
    "limitations": ("limitations", "add", "No mail", "--plan", "SMTP", "--description", "x"),
    "usage": ("usage", "record", "gpt-4o", "--input", "1000", "--output", "1", "--in-session", "s"),
}
UNKNOWN = "0198c0de-0000-7000-8000-000000000000"


@pytest.mark.parametrize("group", MAKING)
def test_every_command_of_records_works(group: str, cli: Cli) -> None:
    made = cli(*MAKING[group]).data
    id = made["id"]
    assert made["short_id"] == id[:18]
    assert cli(group, "show", id[:18]).data == made
    assert cli(group, "list").items == [made]
    assert cli(group, "delete", id, "--reason", "a test").data["deleted_at"] is not None
    assert cli(group, "list").items == []
    assert [each["id"] for each in cli(group, "list", "--deleted").items] == [id]
    ended = cli(group, "show", id)
    assert (ended.code, ended.error["error"]) == (3, "not_found")
    assert f"`erstwhile {group} restore`" in ended.error["remedy"]
    assert cli(group, "restore", id).data["deleted_at"] is None
    assert cli(group, "erase", id).code == 4
    assert cli(group, "erase", id, "--yes").data["records"] == 1
    assert cli(group, "purge", "--yes", "--older-than", "0 days").data["ids"] == []
    assert cli(group, "delete", UNKNOWN).code == 3
    assert cli("audit", "verify").data["ok"] is True


@pytest.mark.parametrize("group", MAKING)
def test_people_see_what_was_done(group: str) -> None:
    ended = at_terminal(*MAKING[group])
    assert ended.code == 0
    assert ended.words.startswith("✓ ")
    assert MAKING[group][2] in ended.words or MAKING[group][3] in ended.words


def test_outcomes_are_narrowed_and_tallied(cli: Cli) -> None:
    for score in ("1", "0", "-1", "-1"):
        cli("outcomes", "add", "deploy", score)
    cli("outcomes", "add", "mail", "1")
    assert len(cli("outcomes", "list", "--domain", "Deploy", "--score", "-1").items) == 2
    assert cli("outcomes", "list", "--until", "yesterday").items == []
    [tally] = cli("outcomes", "tally", "--domain", "deploy", "--since", "yesterday").items
    assert (tally["good"], tally["neutral"], tally["bad"], tally["balance"]) == (1, 1, 2, -1)
    assert cli("outcomes", "add", "deploy", "2").code == 2
    assert cli("outcomes", "add", "deploy", "well").code == 2


def test_money_is_exact_and_the_unknown_is_null(cli: Cli) -> None:
    """In JSON an amount is text, so that no program rounds it."""
    assert cli("usage", "record", "x", "--cost", "0.1").data["cost"] == "0.1"
    assert cli("usage", "record", "x", "--cost", "0.2", "--at", "2026-01-01").data["cost"] == "0.2"
    assert (
        cli("usage", "record", "mine", "--cache-read", "5", "--cache-write", "6").data["cost"]
        is None
    )
    [total] = cli("usage", "summary").items
    assert (total["calls"], total["cost"], total["unpriced"]) == (3, "0.3", 1)
    assert (total["cache_read"], total["cache_write"]) == (5, 6)
    models = cli("usage", "summary", "--by", "model").items
    assert [(each["of"], each["cost"]) for each in models] == [("mine", None), ("x", "0.3")]
    [day] = cli("usage", "summary", "--by", "day", "--until", "2026-01-02").items
    assert (day["of"], day["cost"]) == ("2026-01-01", "0.2")
    assert len(cli("usage", "list", "--model", "x").items) == 2
    assert cli("usage", "record", "x", "--cost", "much").code == 2


def test_prices_come_from_the_table_and_from_a_file(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("usage", "price", "gpt-4o").data["input"] == "2.50"
    assert cli("usage", "price", "mine").code == 3
    (tmp_path / "prices.toml").write_text("[mine]\ninput = 1\noutput = 2\nas_of = 2026-11-01\n")
    monkeypatch.setenv("ERSTWHILE_PRICES", str(tmp_path / "prices.toml"))
    price = cli("usage", "price", "mine").data
    assert (price["input"], price["as_of"]) == ("1", "2026-11-01")
    assert cli("usage", "record", "mine", "--input", "1000000").data["cost"] == "1"


def test_a_profile_is_text_and_a_language(cli: Cli) -> None:
    cli("--user", "ana", "facts", "set", "timezone", "Europe/Lisbon")
    cli("--user", "ana", "facts", "set", "name", "Ana")
    text = "name: Ana\ntimezone: Europe/Lisbon"
    assert cli("--user", "ana", "profile", "text").data == {"text": text}
    assert cli("--user", "ana", "profile", "text", "--known-at", "yesterday").data == {"text": ""}
    assert cli("--user", "ana", "profile", "language").code == 3
    said = "어제 데이터베이스를 옮겼어요"
    guess = cli("--user", "ana", "profile", "language", "--notice", said).data
    assert (guess["language"], guess["settled"]) == ("ko", True)
    assert cli("--user", "ana", "profile", "language").data == {"language": "ko"}
    assert cli("--user", "ana", "profile", "language", "--set", "de").data == {"language": "de"}
    assert cli("--user", "ana", "profile", "language", "--set", "de", "--notice", said).code == 2
    assert cli("profile", "detect", said).data["language"] == "ko"
    assert cli("profile", "language").code == 3


def test_onboarding_goes_stage_by_stage(cli: Cli) -> None:
    first = cli("--user", "ana", "onboarding", "next").data
    assert first["stage"] == "welcome"
    assert "first time" in first["hint"]
    assert cli("--user", "ana", "onboarding", "next").data == {"stage": None, "hint": None}
    assert cli("--user", "ana", "onboarding", "reached").data == {"reached": ["welcome"]}


def test_every_record_has_a_view_and_a_row() -> None:
    """No text of a record is taken for markup or obeyed by the terminal."""
    hostile = "[red]x[/red] \x1b[31m"
    with erstwhile.open(":memory:", embedder="none") as memory:
        entry = memory.usage.record(hostile.replace("\x1b", ""), input=1_234, session="s")
        records = [
            memory.outcomes.add("deploy", 0, note=hostile),
            memory.lessons.add("deploy", hostile),
            memory.observations.add("bugfix", "x", what=hostile, where=hostile),
            memory.limitations.add("x", plan=hostile),
            entry,
        ]
        rows: list[Any] = [*records, *memory.outcomes.tally(), *memory.usage.summary("model")]
        others = [
            memory.usage.price("gpt-4o"),
            memory.profile.detect_language("한국어 문장입니다 네"),
        ]
        others += [memory.profile.detect_language("ok")]
    shown = [rendered(view(each, None)) for each in (*records, *others)]
    shown += [rendered(table([each], None)) for each in rows]
    assert not any("\x1b[31m" in each for each in shown)
    assert all("[red]x[/red]" in each for each in shown[:5])
    assert "unknown" in shown[4]
    assert "$2.50" in shown[5]
