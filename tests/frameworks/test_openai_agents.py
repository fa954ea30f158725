"""OpenAI Agents SDK: its own session as an oracle, and a run with a scripted model."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest

import erstwhile
from erstwhile import Memory

pytest.importorskip("agents")

from agents.memory import Session, SQLiteSession

from erstwhile.core.errors import ErstwhileError
from erstwhile.integrations.openai_agents import ErstwhileSession
from tests.frameworks.contract import Contract

TEXT = {"type": "output_text", "text": "hello", "annotations": []}
ITEMS: list[Any] = [
    {"role": "user", "content": "hi"},
    {"type": "message", "role": "assistant", "content": [TEXT], "status": "completed", "id": "m1"},
    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "42"},
    {"type": "reasoning", "id": "r1", "summary": []},
    {"role": "user", "content": "long " * 12_000},
]


class TestSession(Contract):
    fenced = repeatable = False
    error = ErstwhileError

    def write(self, memory: Memory, text: str) -> None:
        items: Any = [{"role": "user", "content": text}]
        asyncio.run(ErstwhileSession("1", memory).add_items(items))

    def read(self, memory: Memory, query: str) -> str:  # noqa: ARG002
        return str(asyncio.run(ErstwhileSession("1", memory).get_items()))


async def _compare(seed: int) -> None:
    random = Random(seed)
    with erstwhile.open(":memory:", embedder="none") as memory:
        ours = ErstwhileSession("s/Ü 1", memory.scoped(user="ana"), learn=False)
        oracle = SQLiteSession("s")
        for _ in range(8):
            await _change(random, ours, oracle)
            limit = random.choice([None, 0, 1, 2, 5])
            assert await ours.get_items(limit) == await oracle.get_items(limit), seed


async def _change(random: Random, ours: ErstwhileSession, oracle: SQLiteSession) -> None:
    choice = random.random()
    if choice < 0.6:
        items = random.choices(ITEMS, k=random.randint(0, 3))
        await ours.add_items(items)
        await oracle.add_items(items)
    elif choice < 0.9:
        assert await ours.pop_item() == await oracle.pop_item()
    else:
        await ours.clear_session()
        await oracle.clear_session()


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_a_session_answers_as_the_one_of_the_sdk(start: int) -> None:
    """Compare 200 random sequences."""
    for seed in range(start, start + 50):
        asyncio.run(_compare(seed))


def test_a_session_belongs_to_its_user(everybody: Memory, ana: Memory, ben: Memory) -> None:
    shared, hers = ErstwhileSession("1", everybody, learn=False), ErstwhileSession("1", ana)
    asyncio.run(shared.add_items(ITEMS[:2]))
    asyncio.run(hers.add_items(ITEMS[:1]))

    assert isinstance(hers, Session)
    assert asyncio.run(hers.get_items()) == ITEMS[:1]
    assert asyncio.run(shared.get_items()) == ITEMS[:2]
    assert asyncio.run(ErstwhileSession("1", ben).get_items()) == []
