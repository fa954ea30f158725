"""The hooks of a session: what is added to prompts, and what is learned."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from erstwhile.integrations.coding_agents.transcripts import (
    last_turns,
    messages_of_event,
    read_transcript,
    without_private,
)
from erstwhile.integrations.conversation_files import read_conversations

SCOPE = {"user": "ana", "project": "shop"}


@pytest.fixture
def db(tmp_path: Path) -> Path:
    file = tmp_path / "agent.db"
    with erstwhile.open(file, embedder="none") as memory:
        ana = memory.scoped(**SCOPE)
        ana.remember("Always answer in French", kind="instruction")
        ana.remember("The shop runs on Postgres 17", kind="environment")
        ana.tasks.add("Renew the certificate")
        memory.scoped(user="ben", project="shop").remember("Ben runs Postgres 12 in secret")
    return file


def hook(db: Path, command: str, event: dict[str, Any], *options: str) -> tuple[str, str]:
    """Run a hook as an agent does; return its output and its errors."""
    words = [f"--{name}={value}" for name, value in SCOPE.items()]
    done = subprocess.run(
        [sys.executable, "-m", "erstwhile", f"--db={db}", *words, *options, "hook", command],
        input=json.dumps(event), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    return done.stdout, done.stderr


def added(output: str) -> str:
    """Return the text that a hook adds for the model."""
    return str(json.loads(output)["hookSpecificOutput"]["additionalContext"])


def test_a_session_begins_with_what_always_matters(db: Path) -> None:
    output, errors = hook(db, "session-start", {"hook_event_name": "SessionStart"})
    text = added(output)
    assert "Always answer in French" in text
    assert "Renew the certificate" in text
    assert "<erstwhile-memory>" in text
    assert len(text) <= 9_500
    assert not errors


def test_a_prompt_gets_what_matters_for_it_alone(db: Path) -> None:
    """Nothing for small talk, and nothing of another user."""
    event = {
        "hook_event_name": "UserPromptSubmit",
        "prompt": "Which Postgres does the shop run?",
    }
    text = added(hook(db, "prompt", event)[0])
    assert "Postgres 17" in text
    assert "Postgres 12" not in text
    for said in ("hi", "", "<private>Which Postgres does the shop run?</private>"):
        assert hook(db, "prompt", {**event, "prompt": said}) == ("", "")


def test_the_project_is_the_repository_of_the_agent(db: Path, tmp_path: Path) -> None:
    inside = tmp_path / "shop" / "src"
    inside.mkdir(parents=True)
    (tmp_path / "shop" / ".git").mkdir()
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "Which Postgres?"}
    here = hook(db, "prompt", {**event, "cwd": str(inside)}, "--project=.")[0]
    assert "Postgres 17" in added(here)
    assert hook(db, "prompt", {**event, "cwd": str(tmp_path)}, "--project=.")[0] == ""


@pytest.mark.parametrize("event", [[], "x", {"prompt": 5}, {"prompt": "x", "cwd": 7}])
def test_a_hook_of_the_memory_never_stops_the_agent(db: Path, event: Any) -> None:
    """It fails open: no output, the reason on standard error, and exit code 0."""
    for command in ("session-start", "prompt", "stop", "learn"):
        hook(db, command, event)
    output, errors = hook(db.with_name("none.db"), "prompt", {"prompt": "Which Postgres?"})
    assert output == ""
    assert "none.db" in errors


def claude_line(role: str, content: Any, **more: Any) -> str:
    at = "2026-05-01T10:00:00.000Z"
    entry = {"type": role, "sessionId": "s1", "timestamp": at, "uuid": f"u{hash(str(content))}"}
    return json.dumps({**entry, **more, "message": {"role": role, "content": content}})


def codex_line(kind: str, text: str) -> str:
    item = {"type": kind, "content": [{"type": "text", "text": text}]}
    return json.dumps({"type": "event_msg", "payload": {"type": "item_completed", "item": item}})


NOTED = {"type": "text", "text": "Noted."}
TRANSCRIPTS = {
    "claude": "\n".join([
        json.dumps({"type": "summary", "summary": "x"}),
        claude_line("user", "We use npm for the shop.\n<system-reminder>x</system-reminder>"),
        claude_line("assistant", [{"type": "thinking", "thinking": "hm"}, NOTED]),
        claude_line("user", "<command-name>/clear</command-name>"),
        claude_line("user", "Somebody else's words", isMeta=True),
        claude_line("user", "This session is being continued. The user likes tea.",
                    isCompactSummary=True, isVisibleInTranscriptOnly=True),
        claude_line("user", "<bash-stdout>I live in Oslo.</bash-stdout>"),
        claude_line("user", [{"type": "tool_result", "content": [{"type": "text", "text": "42"}]}]),
        "not JSON",
    ]),
    "codex": "\n".join([
        json.dumps({"type": "session_meta", "payload": {"id": "s1"}}),
        codex_line("UserMessage", "We use npm for the shop."),
        codex_line("AgentMessage", "Noted."),
    ]),
}  # fmt: skip


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_a_transcript_has_the_words_of_each_speaker(name: str, tmp_path: Path) -> None:
    said = read_transcript(TRANSCRIPTS[name])
    assert [tuple(each)[:2] for each in said][:2] == [
        ("user", "We use npm for the shop."), ("assistant", "Noted."),
    ]  # fmt: skip
    assert [tuple(each)[:2] for each in said][2:] in ([], [("tool", "42")])
    [conversation], unreadable = read_conversations(TRANSCRIPTS[name], "file")
    assert (conversation.name, len(conversation.messages)) == ("coding:s1", len(said))
    assert not unreadable
    file = tmp_path / "t.jsonl"
    file.write_text(TRANSCRIPTS[name], "utf-8")
    event = {"transcript_path": str(file), "last_assistant_message": "And more."}
    assert messages_of_event(event)[-1].content == "And more."


def test_private_and_added_text_is_never_stored() -> None:
    text = "a <private>key 7</private>b<erstwhile-memory>old</erstwhile-memory> c <private>open"
    assert without_private(text) == "a b c"


def test_the_last_turns_are_compared() -> None:
    event = {"prompt": "And the linter is Ruff.", "prompt_response": "Noted."}
    assert last_turns(messages_of_event(event)) == [
        {"role": "user", "content": "And the linter is Ruff."},
        {"role": "assistant", "content": "Noted."},
    ]


def test_a_turn_is_learned_once_in_a_process_of_its_own(db: Path, tmp_path: Path) -> None:
    """Stop, PreCompact and SessionEnd tell of the same turn."""
    file = tmp_path / "t.jsonl"
    file.write_text(TRANSCRIPTS["claude"], "utf-8")
    event = {"session_id": "s1", "transcript_path": str(file), "cwd": str(tmp_path)}
    for name in ("Stop", "PreCompact", "SessionEnd"):
        assert hook(db, "stop", {**event, "hook_event_name": name}) == ("", "")
    with erstwhile.open(db, embedder="none", learners=0) as memory:
        ana = memory.scoped(**SCOPE)
        end = time.monotonic() + 60
        while not ana.learning.attempts() and time.monotonic() < end:
            time.sleep(0.2)
        time.sleep(1)  # the other two processes
        [talk] = ana.conversations.list(channel="coding:s1")
        assert [each.content for each in ana.conversations.messages(talk.id)].count("Noted.") == 1
        assert any("npm" in fact.text for fact in ana.facts.list())


def test_the_answer_has_the_form_of_the_agent(db: Path) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": "npm publish"}, "session_id": "s"}
    with erstwhile.open(db, embedder="none") as memory:
        request = {"tool": "Bash", "input": call["tool_input"], "goal": "ship"}
        denied = erstwhile.Decision(choice="deny", decided_by="person", **request)  # type: ignore[arg-type]
        memory.scoped(**SCOPE).decisions.record(denied)
    told = {
        name: json.loads(hook(db, "pre-tool-use", {**call, "hook_event_name": name})[0])
        for name in ("PreToolUse", "BeforeTool", "preToolUse")
    }
    assert told["PreToolUse"]["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert told["BeforeTool"]["decision"] == "deny"
    assert told["preToolUse"]["permission"] == "deny"
