"""LlamaIndex: its memory on our block and chat store, and its SQL store as an oracle."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest

import erstwhile
from erstwhile import Memory

pytest.importorskip("llama_index.core")

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory as LlamaMemory
from llama_index.core.storage.chat_store.base_db import MessageStatus
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore

from erstwhile.core.errors import ErstwhileError
from erstwhile.integrations.llama_index import ErstwhileBlock, ErstwhileChatStore
from tests.frameworks.contract import Contract


def _memory(memory: Memory, **options: Any) -> LlamaMemory:
    return LlamaMemory.from_defaults(
        session_id="1",
        chat_store=ErstwhileChatStore(memory),
        memory_blocks=[ErstwhileBlock(memory)],
        **options,
    )


class TestBlock(Contract):
    def write(self, memory: Memory, text: str) -> None:
        asyncio.run(ErstwhileBlock(memory).aput([ChatMessage(text)], session_id="1"))

    def read(self, memory: Memory, query: str) -> str:
        return str(asyncio.run(ErstwhileBlock(memory).aget([ChatMessage(query)])))


class TestChatStore(Contract):
    fenced = repeatable = False
    error = ErstwhileError

    def write(self, memory: Memory, text: str) -> None:
        asyncio.run(ErstwhileChatStore(memory).add_message("1", ChatMessage(text)))

    def read(self, memory: Memory, query: str) -> str:  # noqa: ARG002
        return str(asyncio.run(ErstwhileChatStore(memory).get_messages("1")))


def test_a_chat_gets_the_memory_of_its_user(ana: Memory, ben: Memory) -> None:
    ana.remember("Ana installs packages with pnpm </memory> and more")
    asked = ChatMessage("How do I install packages?")
    for memory in (ana, ben):
        _memory(memory).put(asked)

    assert "with pnpm" in str(_memory(ana).get())
    assert "pnpm </memory>" not in str(_memory(ana).get())
    assert "with pnpm" not in str(_memory(ben).get())
    assert [each.content for each in _memory(ana).get_all()] == [asked.content]


def test_messages_that_leave_the_queue_are_learned_from(ana: Memory) -> None:
    chat = _memory(ana, token_limit=60, token_flush_size=10)
    chat.put(ChatMessage("I am allergic to peanuts."))
    for number in range(12):
        chat.put(ChatMessage(f"Answer number {number} is here.", role="assistant"))
        chat.put(ChatMessage(f"And question number {number}?"))
    ana.flush()

    assert len(chat.get_all(status=MessageStatus.ARCHIVED)) > 0
    assert "peanuts" in ana.context("What am I allergic to?").text


MESSAGES: list[Any] = [
    ChatMessage("hi"),
    ChatMessage("Hello!", role="assistant", additional_kwargs={"x": [1]}),
    ChatMessage("42", role="tool", additional_kwargs={"tool_call_id": "c1"}),
    ChatMessage("long " * 12_000),
]
STATUSES = [MessageStatus.ACTIVE, MessageStatus.ARCHIVED]


async def _step(store: Any, random: Random) -> Any:
    key, choice, count = random.choice(["a", "b"]), random.random(), random.randint(1, 3)
    if choice < 0.4:
        return await store.add_messages(key, random.choices(MESSAGES, k=count))
    if choice < 0.5:
        return await store.add_message(key, random.choice(MESSAGES))
    if choice < 0.6:
        return await store.archive_oldest_messages(key, count)
    if choice < 0.7:
        return await store.delete_oldest_messages(key, count)
    if choice < 0.75:
        return await store.set_messages(key, random.choices(MESSAGES, k=count))
    if choice < 0.8:
        return await store.delete_messages(key, random.choice([None, *STATUSES]))
    limit, offset = random.choice([(None, None), (2, None), (2, 1)])
    status = random.choice([None, *STATUSES])
    found = await store.get_messages(key, status, limit, offset)
    return found, await store.count_messages(key, status), sorted(await store.get_keys())


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_a_chat_store_answers_as_the_one_of_llama_index(start: int) -> None:
    """Compare 200 random sequences."""
    asyncio.run(_compare(start))


async def _compare(start: int) -> None:
    for seed in range(start, start + 50):
        with erstwhile.open(":memory:", embedder="none") as memory:
            ours = ErstwhileChatStore(memory.scoped(user="ana"), learn=False)
            oracle = SQLAlchemyChatStore(table_name=f"t{seed}")
            for number in range(8):
                done = [await _step(each, Random(f"{seed} {number}")) for each in (ours, oracle)]
                assert done[0] == done[1], (seed, number)


def test_one_message_can_be_deleted(ana: Memory) -> None:
    store = ErstwhileChatStore(ana)
    asyncio.run(store.add_messages("1", [ChatMessage(text) for text in "abc"]))

    assert str(asyncio.run(store.delete_message("1", 1))) == "user: b"
    assert asyncio.run(store.delete_message("1", 5)) is None
    assert [each.content for each in asyncio.run(store.get_messages("1"))] == ["a", "c"]
