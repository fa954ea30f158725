"""Global options, and the order of their sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli


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


def test_a_wrong_settings_file_is_reported(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('colour = "red"')
    ended = cli("facts", "list")
    assert (ended.code, ended.error["error"]) == (2, "invalid_input")
    assert "colour" in ended.error["message"]
