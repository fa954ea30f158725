"""The part of messages that may be learned from."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from erstwhile.conversations.conversation import Message, Role
from erstwhile.core.scope import Scope
from erstwhile.core.text import MEMORY_CLOSING, MEMORY_OPENING
from erstwhile.learning.turn import MAX_READ, to_turn

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def message(content: str, role: Role = Role.USER, **details: Any) -> Message:
    usual: dict[str, Any] = {
        "id": "m", "scope": Scope(user="ana"), "conversation": "c", "position": 1,
        "said_at": NOW, "metadata": {}, "key": None, "copy_of": None, "undone_at": None,
    }  # fmt: skip
    return Message(content=content, role=role, **{**usual, **details})


def test_a_turn_is_what_was_said_when_the_user_spoke() -> None:
    later = NOW + timedelta(minutes=1)
    found = to_turn([message("Hi"), message("Hello", Role.ASSISTANT, id="n", said_at=later)])
    assert found is not None
    assert [(line.message, line.role, line.text) for line in found.lines] == [
        ("m", Role.USER, "Hi"),
        ("n", Role.ASSISTANT, "Hello"),
    ]
    assert (found.said_at, found.scope, found.conversation) == (NOW, Scope(user="ana"), "c")


@pytest.mark.parametrize(
    "nothing",
    [
        message("You are an agent.", Role.SYSTEM),
        message("I live in Rome.", metadata={"injected": True}),
        message(f"{MEMORY_OPENING}I live in Rome.{MEMORY_CLOSING}"),
        message(f"  {MEMORY_OPENING}I live in Rome. I never end"),
    ],
)
def test_what_nobody_said_makes_no_turn(nothing: Message) -> None:
    assert to_turn([nothing]) is None
    assert to_turn([]) is None


def test_around_recalled_memory_is_learned_from() -> None:
    found = to_turn([message(f"I live {MEMORY_OPENING}in Rome{MEMORY_CLOSING}in Oslo.")])
    assert found is not None
    assert found.lines[0].text == "I live in Oslo."


def test_a_copy_stands_for_its_original() -> None:
    found = to_turn([message("Hi", copy_of="o")])
    assert found is not None
    assert found.lines[0].message == "o"


def test_secrets_are_masked_before_a_text_is_cut() -> None:
    """Otherwise a part of a secret could be left at the cut."""
    key = "sk-proj-Zq8mT4vLx1RbN7cKd2WfYh6JpG9sUa3E"
    half = (MAX_READ - 20) // 2
    found = to_turn([message("x " * (half // 2) + key + " y" * MAX_READ + " the end.")])
    assert found is not None
    [line] = found.lines
    assert len(line.text) <= MAX_READ
    assert line.text.endswith("the end.")
    assert key[:12] not in line.text
