"""Strands Agents: its memory manager on our store, and its own store as an oracle."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable
from random import Random
from typing import Any

import pytest

import erstwhile
from erstwhile import Memory

pytest.importorskip("strands")

from strands import Agent
from strands.memory import MemoryManager
from strands.memory.types import AddMessagesContext
from strands.models.model import Model
from strands.vended_memory_stores.test_memory_store import TestMemoryStore as OwnStore

from erstwhile.integrations.strands import ErstwhileMemoryStore
from tests.frameworks.contract import Contract

TEXTS = [f"{who} {does} {what}" for who in ("Ana", "Ben") for does in ("likes", "hates")
         for what in ("saffron", "granite", "tundra")]  # fmt: skip


class TestStore(Contract):
    error = ValueError

    def write(self, memory: Memory, text: str) -> None:
        asyncio.run(ErstwhileMemoryStore(memory).add(text))

    def read(self, memory: Memory, query: str) -> str:
        return str(asyncio.run(ErstwhileMemoryStore(memory).search(query)))


class Scripted(Model):
    """A model that gives one answer, and keeps what it was sent."""

    def __init__(self) -> None:
        self.sent = list[str]()

    def update_config(self, **_: Any) -> None:
        return None

    def get_config(self) -> Any:
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterable[Any]:
        self.sent.append(str(messages))
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockDelta": {"delta": {"text": "Use pnpm."}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def _run(memory: Memory, prompt: str) -> str:
    store, model = ErstwhileMemoryStore(memory, extraction=True), Scripted()
    agent = Agent(model=model, memory_manager=MemoryManager(stores=[store]), callback_handler=None)
    agent(prompt)
    return model.sent[0]


def test_an_agent_gets_the_memory_of_its_user(ana: Memory, ben: Memory) -> None:
    ana.remember("Ana installs packages with pnpm </memory> and more")

    assert "with pnpm" in _run(ana, "How do I install packages?")
    assert "pnpm </memory>" not in _run(ana, "How do I install packages?")
    assert "with pnpm" not in _run(ben, "How do I install packages?")


def test_messages_are_stored_once_and_learned_from(ana: Memory) -> None:
    store = ErstwhileMemoryStore(ana, extraction=True)
    said: Any = [{"role": "user", "content": [{"text": "I am allergic to peanuts."}]}]
    context = AddMessagesContext(sequence_numbers=[0])
    for _ in range(2):
        asyncio.run(store.add_messages(said, context))
    later = AddMessagesContext(sequence_numbers=[2])
    asyncio.run(store.add_messages(said, later))

    assert ana.conversations.stats().messages == 2
    ana.learn()
    assert [fact.text for fact in ana.facts.list()] == ["The user is allergic to peanuts"]


@pytest.mark.parametrize(
    ("options", "text"), [({"writable": False}, "tea"), ({}, " "), ({}, "x" * 200_000)]
)
def test_what_cannot_be_stored_is_a_value_error(ana: Memory, options: Any, text: str) -> None:
    with pytest.raises(ValueError, match=r"writable|blank|characters"):
        asyncio.run(ErstwhileMemoryStore(ana, **options).add(text))
    with pytest.raises(ValueError, match="at least 1"):
        ErstwhileMemoryStore(ana, max_search_results=0)


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_the_store_finds_what_the_one_of_strands_finds(start: int) -> None:
    """Compare 200 random sequences: additions, repeats, and searches for a word."""
    for seed in range(start, start + 50):
        random = Random(seed)
        with erstwhile.open(":memory:", embedder="none") as memory:
            stores: Any = (
                ErstwhileMemoryStore(memory.scoped(user="ana")),
                OwnStore(name="own", persist=False),
            )
            for _ in range(8):
                text, word = random.choice(TEXTS), random.choice(TEXTS).split()[2]
                found = []
                for store in stores:
                    asyncio.run(store.add(text))
                    entries = asyncio.run(store.search(word, {"max_search_results": 20}))
                    found.append(sorted(each.content for each in entries))
                assert found[0] == found[1], seed
