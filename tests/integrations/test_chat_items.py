"""Items of other programs' chats, stored as messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.integrations.chat_items import ChatItems

ITEMS: list[Any] = [
    {"role": "user", "content": "hi"},
    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
    {"role": "user", "content": "long " * 12_000},
]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with erstwhile.open(":memory:", embedder="none") as memory:
        yield memory


@pytest.mark.parametrize("channel", ["chat-1", "x" * 5_000])
def test_items_come_back_equal_and_in_order(memory: Memory, channel: str) -> None:
    items = ChatItems(memory, channel, learn=False)
    items.add(ITEMS)

    assert ChatItems(memory, channel, learn=False).all() == ITEMS
    assert items.all(2) == ITEMS[1:]
    assert items.pop() == ITEMS[2]
    assert items.all() == ITEMS[:2]
    items.clear()
    assert items.all() == []
    assert items.pop() is None


def test_long_channels_that_begin_alike_are_two(memory: Memory) -> None:
    first, second = (ChatItems(memory, "x" * 300 + end, learn=False) for end in "ab")
    first.add(ITEMS[:1])
    assert second.all() == []


def test_a_chat_of_all_users_is_not_the_one_of_a_user(memory: Memory) -> None:
    shared, hers = (
        ChatItems(each, "chat-1", learn=False) for each in (memory, memory.scoped(user="ana"))
    )
    shared.add(ITEMS[:2])
    hers.add(ITEMS[:1])
    assert hers.all() == ITEMS[:1]
    assert shared.all() == ITEMS[:2]
