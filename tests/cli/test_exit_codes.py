"""Exit codes and error messages."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import apsw
import pytest

from erstwhile.memory import Memory
from tests.cli.conftest import Cli
from tests.cli.shell import COMMAND, AtTerminal, run

PATH, SEE = "check the path and its permissions", "see what is there with `erstwhile"


@pytest.mark.parametrize(
    ("typed", "code", "error", "message", "remedy"),
    [
        ("", 2, "usage", "Missing command.", ""),
        ("facts", 2, "usage", "Missing command.", ""),
        ("fatcs", 2, "usage", "'facts'", ""),
        ("facts list --colour red", 2, "usage", "--colour", "see erstwhile facts list --help"),
        ("facts list --state deleted", 2, "usage", "use --deleted", "--deleted"),
        ("facts list --state Deleted", 2, "usage", "use --deleted", "--deleted"),
        ("conversations list --status deleted", 2, "usage", "use --deleted", "--deleted"),
        ("limitations list --status deleted", 2, "usage", "use --deleted", "--deleted"),
        ("tasks list --status deleted", 2, "usage", "use --deleted", "tasks list --deleted"),
        ("facts list --limit 0", 2, "invalid_input", "limit", ""),
        ("facts list --limit 1001", 2, "invalid_input", "limit", ""),
        ("facts list --limit many", 2, "usage", "limit", ""),
        ("facts list --tag ''", 2, "invalid_input", "tag", ""),
        ("facts list --entity ''", 2, "invalid_input", "entity", ""),
        ("facts list --key ''", 2, "invalid_input", "key", ""),
        ("facts list --contains ''", 2, "invalid_input", "contains", ""),
        ("facts list --cursor ''", 2, "invalid_input", "not a cursor", ""),
        ("facts list --since ''", 2, "invalid_input", "since", ""),
        ("facts retire 0199", 2, "usage", "--ending", ""),
        ("feedback 0199", 2, "usage", "--useful or --irrelevant", ""),
        ("feedback 0199 --useful --irrelevant", 2, "usage", "--useful or --irrelevant", ""),
        ("feedback --useful", 2, "usage", "'ID...'", ""),
        ("learn --watch 0198c0de", 2, "usage", "leave CONVERSATION", ""),
        ("learn --watch --missed", 2, "usage", "leave CONVERSATION", ""),
        ("learn --learners 65", 2, "usage", "65", ""),
        ("--everything --agent coder facts list", 2, "usage", "--agent", ""),
        ("--everything import FILE --from conversations", 4, "scope", "", "--user"),
        ("--db '' remember tea", 2, "invalid_input", "blank", ""),
        ("--user '' remember tea", 2, "invalid_input", "blank", ""),
        ("--db mysql://host/db facts list", 2, "invalid_input", "mysql", ""),
        ("remember x --origin web --trust trusted", 2, "invalid_input", "trust", ""),
        ("recall tea --floor 2", 2, "invalid_input", "floor", ""),
        ("recall tea --limit 0", 2, "invalid_input", "limit", ""),
        ("recall tea --as-of whenever", 2, "invalid_input", "as_of", ""),
        ("backup folder --every 0s", 2, "invalid_input", "--every", ""),
        ("backup folder --every soon", 2, "invalid_input", "--every", ""),
        ("backup folder --every '3 days ago'", 2, "invalid_input", "--every", ""),
        ("import nowhere.json --from conversations", 2, "invalid_input", "", PATH),
        ("learning retry 0199", 3, "not_found", "", f"{SEE} learning attempts`"),
        ("facts show 0199", 3, "not_found", "", f"{SEE} facts list`"),
        ("facts value timezone", 3, "not_found", "", "erstwhile facts set"),
        ("entities show nobody", 3, "not_found", "", "`erstwhile entities list`"),
    ],
)
def test_a_wrong_call_has_a_code_and_a_remedy(
    typed: str, code: int, error: str, message: str, remedy: str, cli: Cli, tmp_path: Path
) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text('{"role": "user", "content": "Tea?"}', "utf-8")
    ended = cli(*shlex.split(typed.replace("FILE", str(file))))
    assert (ended.code, ended.error["error"]) == (code, error)
    assert message in ended.error["message"]
    assert remedy in (ended.error["remedy"] or "")


def test_a_file_of_another_kind_has_exit_code_5(db: Path) -> None:
    db.write_bytes(b"This is a letter, and no memory at all. " * 100)
    ended = run("facts", "list")
    assert (ended.code, ended.error["error"]) == (5, "corrupt")


def test_a_bug_has_exit_code_5_and_shows_no_traceback(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stats(_: Memory) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(Memory, "stats", stats)
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
