"""`erstwhile hook pre-tool-use`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import apsw
import pytest

import erstwhile
from erstwhile.cli.hook.quick_call import parse_call
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
"""An event as an agent sends it before a tool call."""
ANA = ("--user", "ana")
HEAVY = {
    "numpy", "click", "rich", "snowballstemmer", "dateutil", "decimal", "onnxruntime", "asyncio",
}  # fmt: skip


def decide(db: Path, *choices: str, **said: Any) -> None:
    with erstwhile.open(db, embedder="none") as memory:
        place = memory.scoped(user=said.pop("user", None))
        for choice in choices:
            whole = {"goal": "g", "tool": "Bash", "input": EVENT["tool_input"], **said}
            place.decisions.record(erstwhile.Decision(choice=choice, **whole))


def hook(*words: str, event: object = EVENT, scope: tuple[str, ...] = ()) -> Ended:
    typed = event if isinstance(event, bytes) else json.dumps(event).encode()
    return run(*scope, "hook", "pre-tool-use", *words, typed=typed)


def answer(ended: Ended) -> tuple[str, str]:
    """Return the decision and its reason, and check the exact form that the agent reads."""
    assert ended.code == 0
    told = json.loads(ended.out)
    assert set(told) == {"hookSpecificOutput"}
    said = told["hookSpecificOutput"]
    assert said["hookEventName"] == "PreToolUse"
    assert len(said) == 3
    return said["permissionDecision"], said["permissionDecisionReason"]


def test_a_call_that_a_person_denied_is_denied(db: Path) -> None:
    decide(db, "deny", message="never from a laptop")
    ended = hook()
    decision, reason = answer(ended)
    assert decision == "deny"
    assert "never from a laptop" in reason
    assert ended.err == ""
    other = {**EVENT, "tool_input": {"command": "sudo npm publish --tag beta"}}
    assert answer(hook(event=other))[0] == "deny"
    assert answer(hook(event={**EVENT, "tool_input": {"command": "npm install"}}))[0] == "ask"


def test_a_call_that_a_person_allowed_is_allowed(db: Path) -> None:
    decide(db, "allow")
    assert answer(hook())[0] == "allow"
    other = {**EVENT, "tool_input": {"command": "npm publish --force"}}
    assert answer(hook(event=other))[0] == "ask"


def test_a_permission_by_a_model_does_not_count(db: Path) -> None:
    decide(db, "allow", decided_by="model")
    assert answer(hook())[0] == "ask"


def test_a_scope_and_a_goal_can_be_given(db: Path) -> None:
    decide(db, "allow", user="ana")
    assert answer(hook())[0] == "ask"
    assert answer(hook(scope=ANA))[0] == "allow"
    assert answer(hook("--namespace", "goal", scope=ANA))[0] == "ask"
    assert answer(hook("--namespace", "goal", "--goal", "g", scope=ANA))[0] == "allow"


def test_the_hook_answers_the_same_through_click(db: Path, cli: Cli) -> None:
    """Use options that the hook itself does not parse."""
    decide(db, "deny", "deny", "deny")
    typed = json.dumps(EVENT).encode()
    assert answer(cli("--user=ana", "hook", "pre-tool-use", typed=typed))[0] == "deny"
    assert parse_call(["--user=ana", "hook", "pre-tool-use"]) is None


def test_the_hook_compares_by_meaning_on_request(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERSTWHILE_EMBEDDER", "hashing")
    decide(db, "deny", "deny", "deny")
    assert answer(hook("--meaning"))[0] == "deny"


def test_silent_prints_nothing_instead_of_ask(db: Path) -> None:
    """Then the agent's own rules decide."""
    decide(db, "observe")
    ended = hook("--silent")
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    decide(db, "allow")
    assert answer(hook("--silent"))[0] == "allow"


@pytest.mark.parametrize(
    "command", ["npm publish" + " # again" * 3_000, "$(base64 -d < x) publish", "npm publish '"]
)
def test_silent_still_asks_if_a_denial_could_hide_in_the_call(db: Path, command: str) -> None:
    event = {**EVENT, "tool_input": {"command": command}}
    decide(db, "allow")
    assert hook("--silent", event=event).out == ""
    decide(db, "deny", input={"command": "npm unpublish"})
    suggestion, reason = answer(hook("--silent", event=event))
    assert suggestion == "ask"
    assert "cannot be compared" in reason


@pytest.mark.parametrize(
    "event", [b"{", {**EVENT, "tool_input": {"command": "npm publish #" + "x" * 300_000}}]
)
def test_silent_still_asks_if_the_memory_cannot_answer(db: Path, event: object) -> None:
    """Otherwise a call that is too long to look up would escape its denial."""
    decide(db, "deny")
    ended = hook("--silent", event=event)
    assert answer(ended)[0] == "ask"
    assert "Error" not in ended.err


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
def test_an_unreadable_event_is_answered_with_ask(db: Path, event: object) -> None:
    decide(db, "allow")
    ended = hook(event=event)
    assert answer(ended)[0] == "ask"
    assert ended.err.startswith("erstwhile hook: ")
    assert ended.err.count("\n") == 1


@contextmanager
def locked(db: Path, *statements: str) -> Iterator[None]:
    """Hold a lock on a memory."""
    holder = apsw.Connection(str(db))
    for statement in statements:
        holder.execute(statement).fetchall()
    yield
    holder.execute("ROLLBACK")
    holder.close()


def test_a_missing_memory_is_not_created(db: Path) -> None:
    db.unlink()
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
def test_a_damaged_memory_is_answered_with_ask(db: Path, trouble: Any) -> None:
    decide(db, "allow")
    trouble(db)
    ended = hook()
    assert answer(ended)[0] == "ask"
    assert ended.err


def test_a_locked_memory_is_answered_with_ask(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hook does not wait for long, because the agent waits for it."""
    monkeypatch.setenv("ERSTWHILE_BUSY_TIMEOUT", "0.05")
    decide(db, "allow")
    exclusive = "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE"
    with locked(db, exclusive, "UPDATE scopes SET head_seq = head_seq"):
        ended = hook()
    assert answer(ended)[0] == "ask"
    assert ended.err


@pytest.mark.parametrize("setting", ["ERSTWHILE_CONFIG", "ERSTWHILE_BUSY_TIMEOUT"])
def test_wrong_settings_are_answered_with_ask(
    db: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    decide(db, "allow")
    monkeypatch.setenv(setting, "nowhere")
    assert answer(hook())[0] == "ask"


def test_a_secret_in_the_event_is_never_printed(db: Path) -> None:
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
def test_a_wrong_call_of_the_hook_is_answered_with_ask(db: Path, words: tuple[str, ...]) -> None:
    """The agent takes the exit code of a usage error for a denial."""
    decide(db, "allow")
    ended = run(*words, typed=json.dumps(EVENT).encode())
    assert answer(ended)[0] == "ask"
    assert ended.err


def test_the_hook_has_help() -> None:
    assert "Usage: erstwhile hook pre-tool-use" in run("hook", "pre-tool-use", "--help").out


def test_a_closed_output_is_no_failure(db: Path) -> None:
    """The agent may have closed the pipe."""
    decide(db, "allow")
    read, write = os.pipe()
    os.close(read)
    ended = subprocess.run(
        [*COMMAND, "hook", "pre-tool-use"],
        input=json.dumps(EVENT).encode(), stdout=write, stderr=subprocess.PIPE, check=False,
        timeout=300,
    )  # fmt: skip
    os.close(write)
    assert (ended.returncode, ended.stderr) == (0, b"")


def modules_of_the_hook(*words: str) -> set[str]:
    """Return the names of all modules that a denied call loads."""
    code = """
import sys
from erstwhile.cli.start import main
main()
print(*sys.modules, file=sys.stderr)
"""
    ended = subprocess.run(
        [sys.executable, "-c", code, "hook", "pre-tool-use", *words], input=json.dumps(EVENT),
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    assert '"deny"' in ended.stdout
    return set(ended.stderr.split())


def test_the_hook_loads_nothing_heavy(db: Path) -> None:
    decide(db, "deny", "deny", "deny")
    names = modules_of_the_hook()
    assert {"apsw", "erstwhile"} <= names
    assert not names & HEAVY
    later = {"memory", "lazy_collections", "cli.app", "core.background", "recall.service"}
    later |= {"search.terms"}
    assert all(find_spec(f"erstwhile.{name}") for name in later)
    assert not names & {f"erstwhile.{name}" for name in later}


def test_the_answer_does_not_load_the_recording(db: Path) -> None:
    decide(db, "deny")
    assert "erstwhile.cli.hook.recording" in modules_of_the_hook()
    assert "erstwhile.cli.hook.recording" not in modules_of_the_hook("--no-record")


AFTER: dict[str, Any] = {
    **EVENT,
    "hook_event_name": "PostToolUse",
    "tool_response": {"stdout": "published", "stderr": "", "interrupted": False},
}
"""An event as an agent sends it after a tool call."""


def after(event: object = AFTER, *words: str) -> Ended:
    typed = event if isinstance(event, bytes) else json.dumps(event).encode()
    return run(*words, "hook", "post-tool-use", typed=typed)


def observed(db: Path) -> list[erstwhile.Decision]:
    with erstwhile.open(db, embedder="none") as memory:
        return list(memory.everything().decisions.list(decided_by="agent"))


def test_the_hook_records_what_was_asked_answered_and_done(db: Path) -> None:
    decide(db, "observe")
    assert answer(hook())[0] == "ask"
    [asked] = observed(db)
    assert (asked.choice, asked.decided_by, asked.key) == ("observe", "agent", "toolu_01")
    assert (asked.tool, asked.input) == ("Bash", EVENT["tool_input"])
    assert (asked.goal, asked.message) == (EVENT["session_id"], "answered ask")
    assert asked.outcome is None
    ended = after()
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    [done] = observed(db)
    assert done.id == asked.id
    assert done.outcome is not None
    assert (done.outcome.text, done.outcome.good) == ("done", None)


def test_the_record_names_the_decision_that_answered(db: Path) -> None:
    """It does not quote it: an erased decision must leave no copy."""
    decide(db, "deny", message="never from a laptop")
    assert answer(hook())[0] == "deny"
    [asked] = observed(db)
    assert asked.message.startswith("answered deny [01")
    assert "laptop" not in asked.message


def test_a_failed_call_is_recorded_with_its_error(db: Path) -> None:
    decide(db, "observe")
    token = "ghp_" + "aB3d" * 9
    failures: list[dict[str, Any]] = [
        {"tool_response": {"is_error": True, "error": f"denied for {token}"}},
        {"tool_response": {"success": False}},
        {"tool_response": None, "hook_event_name": "PostToolUseFailure", "error": "no network"},
    ]
    for number, failure in enumerate(failures):
        assert after({**AFTER, **failure, "tool_use_id": f"t{number}"}).err == ""
    outcomes = [each.outcome for each in reversed(observed(db))]
    told = [(each.text, each.good) for each in outcomes if each is not None]
    assert told == [
        ("failed: denied for [masked:github-token]", False), ("failed", False),
        ("failed: no network", False),
    ]  # fmt: skip


def test_what_the_hook_records_is_never_the_word_of_a_person(db: Path) -> None:
    """Calls that were done allow nothing, whatever the event or the environment says."""
    decide(db, "observe")
    claims = {"decided_by": "person", "choice": "allow", "permission_mode": "bypassPermissions"}
    for number in range(5):
        call = {"tool_use_id": f"t{number}", **claims}
        assert answer(hook(event={**EVENT, **call}))[0] == "ask"
        assert after({**AFTER, **call}).code == 0
    assert {(each.choice, each.decided_by) for each in observed(db)} == {("observe", "agent")}
    assert answer(hook())[0] == "ask"


def test_the_hook_changes_no_decision_of_others(db: Path) -> None:
    """An event may carry the key of a permission with a bad outcome."""
    decide(db, "allow", key="mine")
    with erstwhile.open(db, embedder="none") as memory:
        memory.decisions.set_outcome(memory.decisions.list()[0].id, "it broke", good=False)
    ended = after({**AFTER, "tool_use_id": "mine"})
    assert (ended.code, ended.out) == (0, "")
    assert "no record of a hook" in ended.err
    assert answer(hook())[0] == "ask"


def test_the_hook_records_in_its_scope(db: Path) -> None:
    decide(db, "observe", user="ana")
    hook(scope=ANA)
    after(AFTER, *ANA)
    [done] = observed(db)
    assert done.scope.user == "ana"
    assert done.outcome is not None
    hook("--no-record", scope=ANA)
    assert len(observed(db)) == 1


@pytest.mark.parametrize(
    "event",
    [
        b"", b"{", b"\xff\xfe", b"null", {}, EVENT, {**AFTER, "tool_name": ""},
        {**AFTER, "tool_input": {"x": "\0"}}, {**AFTER, "tool_use_id": 7},
    ],
    ids=lambda event: repr(event)[:30],
)  # fmt: skip
def test_an_event_that_cannot_be_recorded_never_fails_the_call(db: Path, event: object) -> None:
    decide(db, "observe")
    ended = after(event)
    assert (ended.code, ended.out) == (0, "")
    assert ended.err.startswith("erstwhile hook: ")
    assert not observed(db)


def test_a_memory_that_cannot_be_written_still_answers(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process holds the write lock. The answer needs only to read."""
    monkeypatch.setenv("ERSTWHILE_BUSY_TIMEOUT", "0.05")
    decide(db, "allow")
    with locked(db, "BEGIN IMMEDIATE"):
        ended = hook()
    assert answer(ended)[0] == "allow"
    assert "cannot record" in ended.err
    assert not observed(db)
