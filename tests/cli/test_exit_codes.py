"""Exit codes and error messages."""

from __future__ import annotations

import subprocess
from pathlib import Path

import apsw
import pytest

from erstwhile.memory import Memory
from tests.cli.conftest import Cli
from tests.cli.shell import COMMAND, AtTerminal, run


def test_usage_errors_have_exit_code_2_and_name_the_help() -> None:
    ended = run("facts", "list", "--colour", "red")
    assert (ended.code, ended.error["error"]) == (2, "usage")
    assert "--colour" in ended.error["message"]
    assert ended.error["remedy"] == "see erstwhile facts list --help"


@pytest.mark.parametrize("words", [(), ("facts",)], ids=str)
def test_a_missing_command_is_a_usage_error(words: tuple[str, ...], cli: Cli) -> None:
    ended = cli(*words)
    assert (ended.code, ended.error["message"]) == (2, "Missing command.")


def test_not_found_has_exit_code_3() -> None:
    ended = run("facts", "show", "0199")
    assert (ended.code, ended.error["error"]) == (3, "not_found")
    assert ended.error["remedy"] == "see what is there with `erstwhile facts list`"


def test_a_file_of_another_kind_has_exit_code_5(db: Path) -> None:
    db.write_bytes(b"This is a letter, and no memory at all. " * 100)
    ended = run("facts", "list")
    assert (ended.code, ended.error["error"]) == (5, "corrupt")


def test_a_bug_has_exit_code_5_and_shows_no_traceback(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Memory) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(Memory, "stats", broken)
    ended = cli("stats")
    assert (ended.code, ended.error["error"]) == (5, "internal")
    assert "ZeroDivisionError" in ended.error["message"]
    assert "ERSTWHILE_DEBUG" in ended.error["remedy"]
    monkeypatch.setenv("ERSTWHILE_DEBUG", "1")
    ended = cli("stats")
    assert ended.code == 5
    assert ended.err.startswith("Traceback")


def test_busy_has_exit_code_7(cli: Cli, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another connection holds the write lock for longer than the timeout."""
    cli("remember", "Ana prefers pnpm")
    monkeypatch.setenv("ERSTWHILE_BUSY_TIMEOUT", "0.05")
    other = apsw.Connection(str(db))
    other.execute("BEGIN IMMEDIATE")
    ended = cli("remember", "Ana prefers yarn")
    assert (ended.code, ended.error["error"]) == (7, "busy")
    assert len(cli("facts", "list").items) == 1
    other.execute("ROLLBACK")
    other.close()
    assert cli("remember", "Ana prefers yarn").code == 0


@pytest.mark.parametrize("words", [("facts", "list"), ("demo",), ("--help",)], ids=str)
def test_a_broken_pipe_ends_quietly(words: tuple[str, ...], cli: Cli) -> None:
    """As in `erstwhile facts list | head -1`."""
    cli("remember", "Ana prefers pnpm")
    pipe = subprocess.PIPE
    with subprocess.Popen([*COMMAND, *words], stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_an_interrupt_has_exit_code_130_and_stores_nothing(cli: Cli) -> None:
    with AtTerminal("remember", "-") as call:
        call.wait_for("Reading")
        call.type("Half a thought\n")
        call.interrupt()
        ended = call.finish()
    assert ended.code == 130
    assert "Traceback" not in ended.out
    assert cli("facts", "list").items == []
