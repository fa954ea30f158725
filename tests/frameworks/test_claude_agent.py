"""Claude Agent SDK: its suite for session stores."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

import pytest

import erstwhile
from erstwhile import Memory

pytest.importorskip("claude_agent_sdk")

from claude_agent_sdk.testing import run_session_store_conformance

from erstwhile.integrations.claude_agent import ErstwhileSessionStore

ENTRY = {"type": "user", "uuid": "1", "message": {"role": "user", "content": "I like green tea."}}


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
