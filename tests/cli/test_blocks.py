"""`erstwhile blocks`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.shell import AtTerminal, at_terminal


@pytest.fixture(autouse=True)
def _estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERSTWHILE_TOKENIZER", "estimate")


def test_every_command_of_blocks_works(cli: Cli) -> None:
    made = cli("blocks", "add", "notes", "one", "--limit", "100", "--description", "What I know")
    assert (made.data["version"], made.data["limit_tokens"]) == (1, 100)
    assert cli("blocks", "append", "notes", "two", "--reason", "more").data["content"] == "one\ntwo"
    assert cli("blocks", "insert", "notes", "0", "zero").data["content"] == "zero\none\ntwo\n"
    assert cli("blocks", "replace", "notes", "two", "2").data["content"] == "zero\none\n2\n"
    assert cli("blocks", "update", "notes", "-", typed="é\n".encode()).data["content"] == "é\n"
    assert cli("blocks", "rename", "notes", "a/b").data["name"] == "a/b"
    assert cli("blocks", "describe", "a/b", "Old").data["description"] == "Old"
    assert cli("blocks", "limit", "a/b", "9", "--overflow", "archive").data["limit_tokens"] == 9
    assert cli("blocks", "protect", "a/b").data["read_only"] is True
    assert cli("blocks", "append", "a/b", "x").error["error"] == "refused"
    assert cli("blocks", "protect", "a/b", "--off").data["read_only"] is False
    assert cli("blocks", "delete", "a/b", "--reason", "done").data["deleted_at"]
    assert cli("blocks", "list").items == []
    assert cli("blocks", "restore", "a/b", "1").data["content"] == "one"
    assert cli("blocks", "show", "a/b", "--version", "2").data["content"] == "one\ntwo"
    history = cli("blocks", "history", "a/b", "--limit", "2")
    assert [each["action"] for each in history.items] == ["restore", "delete"]
    assert history.data["next"] == "11"
    assert "+two" in cli("blocks", "diff", "a/b", "1", "2").data["diff"]
    assert cli("blocks", "erase", "a/b", "--yes").data["blocks"] == 1
    assert cli("blocks", "show", "a/b").code == 3


def test_a_stale_version_is_refused(cli: Cli) -> None:
    cli("blocks", "add", "notes", "one")
    cli("blocks", "append", "notes", "two")
    refused = cli("blocks", "update", "notes", "mine", "--expected-version", "1")
    assert (refused.code, refused.error["error"]) == (4, "conflict")
    assert "version 2, not 1" in refused.error["message"]
    assert cli("blocks", "show", "notes").data["content"] == "one\ntwo"


def test_overflow_is_listed(cli: Cli) -> None:
    text = "Tea is good. " + "Milk is better than water. " * 10
    cli("blocks", "add", "notes", text, "--limit", "10", "--overflow", "archive")
    archived = "".join(fact["text"] for fact in cli("blocks", "overflow", "notes").items)
    assert cli("blocks", "show", "notes").data["content"] + archived == text


def test_errors_of_blocks_name_shell_commands(cli: Cli) -> None:
    assert cli("blocks", "add", "notes", "x " * 99, "--limit", "5").error["error"] == "too_large"
    cli("blocks", "add", "notes", "one", "--read-only")
    assert "erstwhile blocks protect --off" in cli("blocks", "delete", "notes").error["remedy"]
    assert "erstwhile blocks list" in cli("blocks", "show", "none").error["remedy"]
    assert cli("blocks", "update", "notes", "-", typed=b"\xff").code == 2
    assert cli("blocks", "erase", "notes").error["remedy"] == "add --yes"
    assert "erstwhile blocks update" in cli("blocks", "edit", "notes").error["remedy"]


def test_people_see_tables(cli: Cli) -> None:
    """No stored text is obeyed by the terminal."""
    cli("blocks", "add", "notes", "tea \x1b[31m\nmilk", "--description", "What I know")
    cli("blocks", "append", "notes", "more", "--reason", "learned")
    listed = at_terminal("blocks", "list").words
    assert "What I know" in listed
    assert "notes" in listed
    shown = at_terminal("blocks", "show", "notes").words
    assert "tea \\x1b[31m\nmilk" in shown
    assert "learned" in at_terminal("blocks", "history", "notes").words
    assert "+more" in at_terminal("blocks", "diff", "notes", "1").words
    assert "notes, version 3" in at_terminal("blocks", "append", "notes", "x").words
    assert "has no overflow" in at_terminal("blocks", "overflow", "notes").words


def test_a_block_is_edited_in_an_editor(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho added >> "$1"\n', "utf-8")
    editor.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    cli("blocks", "add", "notes", "tea\n")
    with AtTerminal("blocks", "edit", "notes", "--reason", "by hand") as call:
        assert "notes, version 2" in call.finish().words
    assert cli("blocks", "show", "notes").data["content"] == "tea\nadded\n"
