"""Claude Agent SDK: its suite for session stores."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import Any

import pytest

import erstwhile
from erstwhile import Memory

pytest.importorskip("claude_agent_sdk")

from claude_agent_sdk.testing import run_session_store_conformance

from erstwhile.core.errors import ErstwhileError
from erstwhile.integrations.claude_agent import ErstwhileSessionStore, memory_hooks
from tests.frameworks.contract import Contract

ENTRY = {"type": "user", "uuid": "1", "message": {"role": "user", "content": "I like green tea."}}


KEY = {"project_key": "shop", "session_id": "s"}


class TestSessionStore(Contract):
    fenced = False
    error = ErstwhileError

    def write(self, memory: Memory, text: str) -> None:
        message = {"role": "user", "content": text}
        entry = {"type": "user", "uuid": "1", "message": message}
        asyncio.run(ErstwhileSessionStore(memory).append(KEY, [entry]))

    def read(self, memory: Memory, query: str) -> str:  # noqa: ARG002
        return str(asyncio.run(ErstwhileSessionStore(memory).load(KEY)))


def _hook(memory: Memory, event: str, **fields: Any) -> Any:
    [matcher] = memory_hooks(memory)[event]
    given = {"session_id": "s", "hook_event_name": event, **fields}
    return asyncio.run(matcher.hooks[0](given, None, {"signal": None}))


class TestHooks(Contract):
    """The store writes, and the hook of a prompt reads."""

    write = TestSessionStore.write

    def read(self, memory: Memory, query: str) -> str:
        answer = _hook(memory, "UserPromptSubmit", prompt=query)
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def test_a_denied_call_is_denied_again(ana: Memory) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": "git push --force"}}
    assert _hook(ana, "PreToolUse", **call) == {}

    decision = erstwhile.Decision(
        goal="any", tool="Bash", input={"command": "git push --force"}, choice="deny"
    )
    ana.decisions.record(decision)

    answer = _hook(ana, "PreToolUse", **call)["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny"
    ana.close()
    answer = _hook(ana, "PreToolUse", **call)["hookSpecificOutput"]
    assert answer["permissionDecision"] == "ask"


def test_the_session_store_passes_the_suite() -> None:
    with ExitStack() as opened:

        def store() -> ErstwhileSessionStore:
            memory = opened.enter_context(erstwhile.open(":memory:", embedder="none"))
            return ErstwhileSessionStore(memory.scoped(user="ana"), learn=False)

        asyncio.run(run_session_store_conformance(store))


def test_a_session_of_any_name_belongs_to_its_user(ana: Memory, ben: Memory) -> None:
    key = {"project_key": "project " * 60, "session_id": "s"}
    store = ErstwhileSessionStore(ana, learn=False)
    for _ in range(2):
        asyncio.run(store.append(key, [ENTRY]))

    assert asyncio.run(store.load(key)) == [ENTRY]
    assert [s["session_id"] for s in asyncio.run(store.list_sessions(key["project_key"]))] == ["s"]
    assert asyncio.run(ErstwhileSessionStore(ben).load(key)) is None
    assert asyncio.run(ErstwhileSessionStore(ben).list_sessions(key["project_key"])) == []
