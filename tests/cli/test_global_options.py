"""Global options: their place, and the order of their sources."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from erstwhile.cli.app import app
from erstwhile.cli.options import global_options_first
from tests.cli.conftest import Cli
from tests.cli.shell import run


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("recall tea --user ana", "--user ana recall tea"),
        ("recall tea --user=ana --json", "--user=ana --json recall tea"),
        ("facts --user ana list --limit 2", "--user ana facts list --limit 2"),
        ("--user ana facts list --user bo", "--user ana --user bo facts list"),
        ("remember -- --json", "remember -- --json"),
        ("remember --key --json tea", "remember --key --json tea"),
        ("--db recall facts list", "--db recall facts list"),
        ("export x.jsonl --format jsonl", "export x.jsonl --format jsonl"),
        ("facts list --format csv", "--format csv facts list"),
        ("unknown --user ana", "--user ana unknown"),
        ("", ""),
    ],
)
def test_global_options_are_moved_before_the_command(typed: str, meant: str) -> None:
    assert global_options_first(app, typed.split()) == meant.split()


@pytest.mark.parametrize(
    "typed",
    ["facts list --user", "facts list --user --json", "facts --db list --db",
     "recall tea --user --", "--user --json facts list", "facts list --deleted --user --limit 2"],
)  # fmt: skip
def test_a_global_option_without_a_value_takes_no_other_word(typed: str) -> None:
    with pytest.raises(click.BadOptionUsage, match="requires an argument"):
        global_options_first(app, typed.split())
    ended = run(*typed.split())
    assert ended.code == 2
    assert "requires an argument" in ended.err


def test_a_scope_may_follow_the_command(cli: Cli) -> None:
    cli("remember", "Ana likes tea", "--user", "ana")
    assert [each["text"] for each in cli("facts", "list", "--user", "ana").items] == [
        "Ana likes tea"
    ]
    assert cli("facts", "list", "--user", "bo").items == []
    assert cli("facts", "list").items == []


def _texts(cli: Cli, *words: str) -> list[str]:
    return [fact["text"] for fact in cli(*words, "facts", "list").items]


@pytest.mark.parametrize("dimension", ["user", "agent", "project", "session"])
def test_scopes_are_separate(dimension: str, cli: Cli) -> None:
    fact = cli(f"--{dimension}", "one", "remember", "A secret").data
    assert fact["scope"][dimension] == "one"
    assert _texts(cli, f"--{dimension}", "one") == ["A secret"]
    assert _texts(cli, f"--{dimension}", "two") == []
    assert _texts(cli) == []
    assert cli(f"--{dimension}", "two", "facts", "show", fact["id"]).code == 3
    assert cli(f"--{dimension}", "two", "facts", "erase", fact["id"], "--yes").code == 3


def test_everything_is_the_administrators_view(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("--user", "ana", "remember", "A secret of Ana")
    cli("--user", "bob", "--project", "shop", "remember", "A secret of Bob")
    monkeypatch.setenv("ERSTWHILE_USER", "carol")
    assert _texts(cli, "--everything") == ["A secret of Bob", "A secret of Ana"]
    ended = cli("--everything", "remember", "Anything")
    assert (ended.code, ended.error["error"]) == (4, "scope")
    assert "--everything" in ended.error["remedy"]


def test_an_option_comes_before_the_environment_and_that_before_the_file(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.toml").write_text('user = "file"\nproject = "shop"\n')
    assert cli("remember", "one").data["scope"]["user"] == "file"
    monkeypatch.setenv("ERSTWHILE_USER", "environment")
    assert cli("remember", "two").data["scope"]["user"] == "environment"
    scope = cli("--user", "option", "remember", "three").data["scope"]
    assert (scope["user"], scope["project"]) == ("option", "shop")


def test_the_location_of_the_memory_has_the_same_order(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {name: tmp_path / f"{name}.db" for name in ("file", "environment", "option")}
    (tmp_path / "config.toml").write_text(f'db = "{places["file"]}"\n')
    monkeypatch.delenv("ERSTWHILE_DB")
    assert cli("remember", "in the first").code == 0
    assert [name for name, place in places.items() if place.exists()] == ["file"]
    monkeypatch.setenv("ERSTWHILE_DB", str(places["environment"]))
    assert cli("remember", "in the second").code == 0
    assert not places["option"].exists()
    assert cli("--db", str(places["option"]), "remember", "in the third").code == 0
    assert _texts(cli) == ["in the second"]
    assert all(place.exists() for place in places.values())


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("user = ", "cannot be read"),
        ('colour = "red"', "colour"),
        ("busy_timeout = 'soon'", "busy_timeout"),
        ("synchronous = 'OFF'", "synchronous"),
        ("user = 5", "user"),
        ("db = 5", "db"),
    ],
)
def test_a_wrong_settings_file_is_reported(
    text: str, complaint: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ERSTWHILE_DB")
    (tmp_path / "config.toml").write_text(text)
    ended = cli("facts", "list")
    assert (ended.code, ended.error["error"]) == (2, "invalid_input")
    assert complaint in ended.error["message"]
