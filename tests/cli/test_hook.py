"""`erstwhile hook pre-tool-use`: what a coding agent sends, and what it is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

import erstwhile
from erstwhile.cli.hook.pre_tool_use import parse_call
from tests.cli.conftest import Cli
from tests.cli.shell import COMMAND, Ended, run

EVENT: dict[str, Any] = {
    "session_id": "5f0c1a2e-session",
    "transcript_path": "transcript.jsonl",
    "cwd": "shop",
    "permission_mode": "default",
    "prompt_id": "p-1",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "npm publish", "description": "Publish the package"},
    "tool_use_id": "toolu_01",
}
"""As an agent sends it before it uses a tool."""
HEAVY = {
    "numpy", "click", "rich", "snowballstemmer", "dateutil", "decimal", "onnxruntime", "asyncio",
}  # fmt: skip


def decide(db: Path, *choices: str, **said: Any) -> None:
    with erstwhile.open(db, embedder="none") as memory:
        place = memory.scoped(user=said.pop("user", None))
        for choice in choices:
            whole = {"goal": "g", "tool": "Bash", "input": EVENT["tool_input"], **said}
            place.decisions.record(erstwhile.Decision(choice=choice, **whole))


def hook(*words: str, event: object = EVENT) -> Ended:
    typed = event if isinstance(event, bytes) else json.dumps(event).encode()
    return run(*words, "hook", "pre-tool-use", typed=typed)


def answer(ended: Ended) -> tuple[str, str]:
    """The decision and its reason, in exactly the form that the agent reads."""
    assert ended.code == 0
    told = json.loads(ended.out)
    assert set(told) == {"hookSpecificOutput"}
    said = told["hookSpecificOutput"]
    assert said["hookEventName"] == "PreToolUse"
    assert len(said) == 3
    return said["permissionDecision"], said["permissionDecisionReason"]


def test_three_denials_deny(db: Path) -> None:
    decide(db, "deny", "deny", "deny", message="never from a laptop")
    ended = hook()
    decision, reason = answer(ended)
    assert decision == "deny"
    assert "never from a laptop" in reason
    assert ended.err == ""


def test_what_a_person_allowed_is_allowed(db: Path) -> None:
    decide(db, "allow")
    assert answer(hook())[0] == "allow"
    other = {**EVENT, "tool_input": {"command": "npm publish --force"}}
    assert answer(hook(event=other))[0] == "ask"


def test_a_model_s_allowance_is_none(db: Path) -> None:
    decide(db, "allow", decided_by="model")
    assert answer(hook())[0] == "ask"


def test_a_scope_and_a_goal_can_be_said(db: Path) -> None:
    """As everywhere: before the command whose memory, after it what is asked."""
    decide(db, "allow", user="ana")
    assert answer(hook())[0] == "ask"
    assert answer(hook("--user", "ana"))[0] == "allow"
    typed = json.dumps(EVENT).encode()
    words = ("--user", "ana", "hook", "pre-tool-use", "--namespace", "goal")
    assert answer(run(*words, typed=typed))[0] == "ask"
    assert answer(run(*words, "--goal", "g", typed=typed))[0] == "allow"


def test_through_the_whole_command_line_it_is_the_same(db: Path, cli: Cli) -> None:
    """With options that the quick way does not know."""
    decide(db, "deny", "deny", "deny")
    typed = json.dumps(EVENT).encode()
    assert answer(cli("--user=ana", "hook", "pre-tool-use", typed=typed))[0] == "deny"
    assert parse_call(["--user=ana", "hook", "pre-tool-use"]) is None


def test_meaning_is_compared_when_asked_for(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERSTWHILE_EMBEDDER", "hashing")
    decide(db, "deny", "deny", "deny")
    typed = json.dumps(EVENT).encode()
    assert answer(run("hook", "pre-tool-use", "--meaning", typed=typed))[0] == "deny"


def test_it_can_keep_silent_instead_of_asking(db: Path) -> None:
    """So that the agent's own rules decide."""
    decide(db, "observe")
    typed = json.dumps(EVENT).encode()
    ended = run("hook", "pre-tool-use", "--silent", typed=typed)
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    decide(db, "allow")
    assert answer(run("hook", "pre-tool-use", "--silent", typed=typed))[0] == "allow"


@pytest.mark.parametrize(
    "event",
    [
        b"", b"{", b"\xff\xfe", b"[" * 100_000, b"null", b"[]", b'"x"', {}, {"tool_name": 5},
        {**EVENT, "tool_name": ""}, {**EVENT, "hook_event_name": "Stop"},
        {**EVENT, "tool_input": {"x": "\0"}}, {**EVENT, "tool_input": "x" * 300_000},
        {**EVENT, "session_id": 7},
    ],
    ids=lambda event: repr(event)[:30],
)  # fmt: skip
def test_an_event_that_cannot_be_read_is_asked_about(db: Path, event: object) -> None:
    decide(db, "allow")
    ended = hook(event=event)
    assert answer(ended)[0] == "ask"
    assert ended.err.startswith("erstwhile hook: ")
    assert ended.err.count("\n") == 1


def test_a_memory_that_is_not_there_is_not_made(db: Path) -> None:
    ended = hook()
    assert answer(ended)[0] == "ask"
    assert "no memory" in ended.err
    assert not db.exists()


def _damage(db: Path) -> None:
    db.write_bytes(b"no memory at all" * 1_000)


def _make_newer(db: Path) -> None:
    connection = apsw.Connection(str(db))
    connection.execute("INSERT INTO migrations VALUES (9999, 'later', 'x', 0)")
    connection.close()


@pytest.mark.parametrize("trouble", [_damage, _make_newer])
def test_a_memory_in_trouble_is_asked_about(db: Path, trouble: Any) -> None:
    """(N14)"""
    decide(db, "allow")
    trouble(db)
    ended = hook()
    assert answer(ended)[0] == "ask"
    assert ended.err


def test_a_memory_that_is_locked_is_asked_about(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not waited for: the agent stands still meanwhile."""
    monkeypatch.setenv("ERSTWHILE_BUSY_TIMEOUT", "0.05")
    decide(db, "allow")
    holder = apsw.Connection(str(db))
    holder.execute("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE").fetchall()
    holder.execute("UPDATE scopes SET head_seq = head_seq")
    ended = hook()
    holder.execute("ROLLBACK")
    holder.close()
    assert answer(ended)[0] == "ask"
    assert ended.err


@pytest.mark.parametrize("setting", ["ERSTWHILE_CONFIG", "ERSTWHILE_BUSY_TIMEOUT"])
def test_wrong_settings_are_asked_about(
    db: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    decide(db, "allow")
    monkeypatch.setenv(setting, "nowhere")
    assert answer(hook())[0] == "ask"


def test_a_secret_in_the_event_is_told_to_nobody(db: Path) -> None:
    """Not when all is well, and not in an error."""
    decide(db, "observe")
    token = "ghp_" + "aB3d" * 9
    for event in (
        {**EVENT, "tool_input": {"command": f"push {token}"}},
        {**EVENT, "tool_name": {token: token}},
        {**EVENT, "hook_event_name": token},
    ):
        ended = hook(event=event)
        assert token not in ended.out + ended.err
        assert answer(ended)[0] == "ask"


@pytest.mark.parametrize(
    "words",
    [
        ("--typo", "hook", "pre-tool-use"), ("hook", "pre-tool-use", "--typo"),
        ("hook", "pre-tool-use", "--namespace", "x"), ("hook", "pre-tool-use", "--goal"),
        ("--everything", "--user", "x", "hook", "pre-tool-use", "more"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_wired_wrongly_it_asks(db: Path, words: tuple[str, ...]) -> None:
    """A usage error's exit code would forbid the tool."""
    decide(db, "allow")
    ended = run(*words, typed=json.dumps(EVENT).encode())
    assert answer(ended)[0] == "ask"
    assert ended.err


def test_help_is_help_all_the_same() -> None:
    assert "Usage: erstwhile hook pre-tool-use" in run("hook", "pre-tool-use", "--help").out


def test_nobody_reads_the_answer(db: Path) -> None:
    """The agent may have gone: that is no failure either."""
    decide(db, "allow")
    read, write = os.pipe()
    os.close(read)
    ended = subprocess.run(
        [*COMMAND, "hook", "pre-tool-use"],
        input=json.dumps(EVENT).encode(), stdout=write, stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    os.close(write)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_it_loads_nothing_heavy(db: Path) -> None:
    """Neither the command line's packages nor numpy nor a model: an agent waits for it."""
    decide(db, "deny", "deny", "deny")
    code = """
import sys
sys.argv = ["erstwhile", "hook", "pre-tool-use"]
from erstwhile.cli.start import main
main()
print(*sorted({name.split(".")[0] for name in sys.modules}), file=sys.stderr)
print(*sorted(name for name in sys.modules if name.startswith("erstwhile")), file=sys.stderr)
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(EVENT), capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert '"deny"' in ended.stdout
    packages, ours = (set(line.split()) for line in ended.stderr.splitlines())
    assert {"apsw", "erstwhile"} <= packages
    assert not packages & HEAVY
    later = {"memory", "holdings", "search.analysis", "cli.app", "store.unit", "model.audit"}
    assert not ours & {f"erstwhile.{name}" for name in later}
