"""`erstwhile init` and `erstwhile config show`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.cli.shell import at_terminal


def shown(cli: Cli, *words: str) -> dict[str, tuple[Any, str]]:
    items = cli(*words, "config", "show").items
    return {each["setting"]: (each["value"], each["source"]) for each in items}


def test_every_setting_is_shown_with_its_source(cli: Cli, tmp_path: Path, db: Path) -> None:
    (tmp_path / "config.toml").write_text('llm = "ollama:qwen2.5:7b"\nuser = "ana"\n', "utf-8")
    found = shown(cli, "--user", "bob")
    assert found["user"] == ("bob", "option")
    assert found["llm"] == ("ollama:qwen2.5:7b", "file")
    assert found["db"] == (str(db), "environment ERSTWHILE_DB")
    assert found["pii"] == ("keep", "default")
    assert shown(cli, "--db", "other.db")["db"] == ("other.db", "option")


def test_secrets_are_hidden(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERSTWHILE_EMBEDDER_KEY", "s3cret")
    monkeypatch.setenv("ERSTWHILE_RERANKER_KEY", "s3cret")
    monkeypatch.setenv("ERSTWHILE_LLM_URL", "https://example.com/v1?code=s3cret")
    monkeypatch.setenv("ERSTWHILE_DB", "postgresql://ana:s3cret@localhost/memory?password=s3cret")
    ended = cli("config", "show")
    assert "s3cret" not in ended.out
    assert "(hidden)" in ended.out


def test_people_see_a_table_and_the_file(tmp_path: Path) -> None:
    words = at_terminal("config", "show", columns=80).words
    assert "environment ERSTWHILE_DB" in words
    assert str(tmp_path / "config.toml")[:40] in words


def test_init_creates_a_memory_and_names_commands_that_work(cli: Cli, tmp_path: Path) -> None:
    place = tmp_path / "my agent.db"
    made = cli("--db", str(place), "--user", "ana", "init").data
    assert (made["created"], made["config"], place.exists()) == (True, None, True)
    assert (
        made["next"][0]
        == f"erstwhile --db '{place}' --user ana remember \"I prefer short answers\""
    )
    assert len(made["next"]) == 3
    assert cli("--db", str(place), "init").data["created"] is False


def test_init_writes_a_configuration_once(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ERSTWHILE_DB")
    place = tmp_path / "agent.db"
    words = ("--db", str(place), "--user", "ana", "init", "--config", "--llm", "ollama:qwen2.5:7b")
    assert cli(*words).data["next"][2] == "erstwhile chat"
    assert shown(cli)["llm"] == ("ollama:qwen2.5:7b", "file")
    cli("remember", "Ana likes tea")
    assert len(cli("--db", str(place), "--user", "ana", "facts", "list").items) == 1
    assert cli(*words).error["error"] == "refused"


def test_people_see_the_next_commands(db: Path) -> None:
    words = at_terminal("init", columns=200).words
    assert f"There already: {db}" in words
    assert "erstwhile recall" in words
