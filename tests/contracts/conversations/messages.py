"""Messages: each once, in the order in which they came, whatever the clock says."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile.conversations.conversation import Role
from erstwhile.core.errors import (
    ConflictError,
    ErstwhileError,
    InvalidInputError,
    NotFoundError,
    TooLargeError,
)
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, unchanged


def said(messages: Any) -> list[str]:
    return [message.content for message in messages]


class MessagesContract(Contract):
    def test_an_exchange_stays_in_its_order(self, memory: Memory) -> None:
        """The question before the answer, though the clock stands still (K2)."""
        chats = memory.conversations
        for number in range(20):
            chats.add_exchange(f"question {number}", f"answer {number}")
        one = chats.current()
        expected = [f"{what} {number}" for number in range(20) for what in ("question", "answer")]
        assert said(chats.messages(one.id)) == expected
        assert said(chats.messages(one.id, limit=2)) == ["question 19", "answer 19"]
        assert said(chats.transcript(one.id, limit=3).messages) == [
            "answer 18", "question 19", "answer 19",
        ]  # fmt: skip

    def test_the_order_is_that_of_coming_in(self, memory: Memory, clock: FakeClock) -> None:
        """A clock that is set back changes nothing, nor does the time when it was said (K2)."""
        chats = memory.conversations
        chats.add("user", "one")
        clock.advance(minutes=-30)
        chats.add("assistant", "two")
        old = chats.add("user", "three", said_at="2020-01-01")
        clock.advance(minutes=10)
        last = chats.add("user", "four")
        assert said(chats.messages(last.conversation)) == ["one", "two", "three", "four"]
        assert old.said_at.year == 2020
        assert [each.position for each in chats.messages(last.conversation)] == [1, 2, 3, 4]
        ids = [each.id for each in chats.messages(last.conversation)]
        assert ids == sorted(ids)

    def test_every_role_can_speak(self, memory: Memory) -> None:
        """Tools and the system, too; nobody else (K24)."""
        chats = memory.conversations
        for role in Role:
            assert chats.add(role.value, f"I am {role}").role is role
        assert {hit.message.role for hit in chats.search("I am")} == set(Role)
        with unchanged(memory), pytest.raises(InvalidInputError, match="unknown role 'robot'"):
            chats.add("robot", "beep")

    def test_what_is_said_of_a_message_comes_back(self, memory: Memory) -> None:
        """Also one that says nothing itself, such as a call of a tool."""
        chats = memory.conversations
        call = chats.add("assistant", "", metadata={"tool": "grep", "args": ["-n", {"x": None}]})
        assert chats.message(call.short_id) == call
        assert call.metadata == {"tool": "grep", "args": ["-n", {"x": None}]}
        both = chats.add_exchange("a", "b", metadata={"model": "m"}, said_at="2026-02-01")
        assert (both.user.metadata, both.assistant.metadata) == ({}, {"model": "m"})
        assert both.user.said_at == both.assistant.said_at

    def test_a_retried_call_stores_once(self, memory: Memory, clock: FakeClock) -> None:
        """Even when the conversation is over by then."""
        chats = memory.conversations
        first = chats.add("user", "hello", key="call 1")
        pair = chats.add_exchange("how are you?", "fine", key="call 2")
        clock.advance(hours=5)
        with unchanged(memory):
            assert chats.add("user", "hello", key="call 1") == first
            assert chats.add_exchange("how are you?", "fine", key="call 2") == pair
        chats.close(first.conversation)
        with unchanged(memory):
            assert chats.add("user", "hello", key="call 1") == first
        assert memory.scoped(user="ana").conversations.add("user", "x", key="call 1") != first

    def test_a_key_that_says_something_else_is_a_conflict(self, memory: Memory) -> None:
        """And the second half of an exchange follows the first."""
        chats = memory.conversations
        first = chats.add("user", "hello", key="1")
        chats.start()
        with unchanged(memory):
            with pytest.raises(ConflictError, match="key '1'"):
                chats.add("user", "bye", key="1")
            with pytest.raises(ConflictError, match="key '1'"):
                chats.add_exchange("bye", "bye", key="1")
        pair = chats.add_exchange("hello", "hi", key="1")
        assert pair.user == first
        assert (pair.assistant.conversation, pair.assistant.position) == (first.conversation, 2)

    def test_an_exchange_is_stored_as_a_whole_or_not_at_all(self, memory: Memory) -> None:
        """A bad answer takes the question with it (K5)."""
        chats = memory.conversations
        one = chats.current().id
        for bad in ("", "\0", "x" * 1_000_001):
            with unchanged(memory), pytest.raises(InvalidInputError):
                chats.add_exchange("a good question", bad, conversation=one)
        assert list(chats.messages(one)) == []

    @pytest.mark.parametrize(
        ("details", "error"),
        [
            ({"content": " "}, InvalidInputError),
            ({"content": 5}, InvalidInputError),
            ({"content": "x" * 1_000_001}, TooLargeError),
            ({"content": "\ud800"}, InvalidInputError),
            ({"metadata": {"x": "y" * 60_000}}, TooLargeError),
            ({"metadata": {"x": object()}}, InvalidInputError),
            ({"said_at": "next week, perhaps"}, InvalidInputError),
            ({"key": ""}, InvalidInputError),
            ({"key": "x" * 201}, TooLargeError),
            ({"channel": "two\nlines"}, InvalidInputError),
            ({"conversation": "x", "channel": "y"}, InvalidInputError),
            ({"conversation": "0198c0de"}, NotFoundError),
        ],
    )
    def test_bad_input_is_refused_and_nothing_is_stored(
        self, memory: Memory, details: dict[str, Any], error: type[ErstwhileError]
    ) -> None:
        """Each with a typed error."""
        with unchanged(memory), pytest.raises(error):
            memory.conversations.add(**{"role": "user", "content": "x", **details})

    def test_earlier_pages_follow(self, memory: Memory) -> None:
        """Each page is in order; `next` leads to what was said before it."""
        chats = memory.conversations
        for number in range(5):
            chats.add("user", str(number))
        one = chats.current().id
        last = chats.messages(one, limit=2)
        middle = chats.messages(one, limit=2, cursor=last.next)
        first = chats.messages(one, limit=2, cursor=middle.next)
        assert [said(page) for page in (first, middle, last)] == [["0"], ["1", "2"], ["3", "4"]]
        assert first.next is None
        with pytest.raises(InvalidInputError, match="cursor"):
            chats.messages(one, cursor="x")


class UndoMessagesContract(Contract):
    def test_undoing_takes_the_last_messages_back(self, memory: Memory) -> None:
        """They are kept and say so, are shown and found no longer, and the next goes on."""
        chats = memory.conversations
        chats.add_exchange("the tea is green", "is it?")
        chats.add_exchange("the tea is black", "so it is")
        one = chats.current().id
        undone = chats.undo(one, 2, reason="a slip")
        assert said(undone) == ["the tea is black", "so it is"]
        assert said(chats.messages(one)) == ["the tea is green", "is it?"]
        assert chats.get(one).messages == 2
        assert chats.message(undone[0].id).undone_at is not None
        assert [hit.message.content for hit in chats.search("tea")] == ["the tea is green"]
        assert chats.add("user", "the tea is white").position == 5
        assert said(chats.messages(one))[-1] == "the tea is white"
        assert memory.audit.verify().ok

    def test_more_than_there_are_cannot_be_undone(self, memory: Memory) -> None:
        """Nothing is undone then."""
        chats = memory.conversations
        one = chats.add("user", "x").conversation
        with unchanged(memory):
            for count in (2, 0, -1, True):
                with pytest.raises(InvalidInputError):
                    chats.undo(one, count)
        chats.undo(one)
        with pytest.raises(InvalidInputError, match="only 0"):
            chats.undo(one)

    def test_a_late_retry_does_not_bring_an_undone_message_back(self, memory: Memory) -> None:
        """It was stored once, and taken back."""
        chats = memory.conversations
        one = chats.add("user", "oops", key="1")
        chats.undo(one.conversation)
        with unchanged(memory):
            again = chats.add("user", "oops", key="1")
        assert again.undone_at is not None
