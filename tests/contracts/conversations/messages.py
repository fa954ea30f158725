"""Messages: order, idempotency keys and undo."""

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
from tests.contracts.base import Contract, input_check, unchanged


def said(messages: Any) -> list[str]:
    return [message.content for message in messages]


class MessagesContract(Contract):
    def test_an_exchange_keeps_its_order(self, memory: Memory) -> None:
        """The question comes before the answer, even if the clock does not move."""
        conversations = memory.conversations
        for number in range(20):
            conversations.add_exchange(f"question {number}", f"answer {number}")
        one = conversations.current()
        expected = [f"{what} {number}" for number in range(20) for what in ("question", "answer")]
        assert said(conversations.messages(one.id)) == expected
        assert said(conversations.messages(one.id, limit=2)) == ["question 19", "answer 19"]
        assert said(conversations.transcript(one.id, limit=3).messages) == [
            "answer 18", "question 19", "answer 19",
        ]  # fmt: skip

    def test_messages_keep_the_order_in_which_they_were_added(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """Neither a clock that goes back nor `said_at` changes the order."""
        conversations = memory.conversations
        conversations.add("user", "one")
        clock.advance(minutes=-30)
        conversations.add("assistant", "two")
        old = conversations.add("user", "three", said_at="2020-01-01")
        clock.advance(minutes=10)
        last = conversations.add("user", "four")
        assert said(conversations.messages(last.conversation)) == ["one", "two", "three", "four"]
        assert old.said_at.year == 2020
        assert [each.position for each in conversations.messages(last.conversation)] == [1, 2, 3, 4]
        ids = [each.id for each in conversations.messages(last.conversation)]
        assert ids == sorted(ids)

    def test_every_role_can_have_messages(self, memory: Memory) -> None:
        """An unknown role is refused."""
        conversations = memory.conversations
        for role in Role:
            assert conversations.add(role.value, f"I am {role}").role is role
        assert {hit.message.role for hit in conversations.search("I am")} == set(Role)
        with unchanged(memory), pytest.raises(InvalidInputError, match="unknown role 'robot'"):
            conversations.add("robot", "beep")

    def test_a_message_keeps_its_fields(self, memory: Memory) -> None:
        """Also a tool call without a content."""
        conversations = memory.conversations
        call = conversations.add(
            "assistant", "", metadata={"tool": "grep", "args": ["-n", {"x": None}]}
        )
        assert conversations.message(call.short_id) == call
        assert call.metadata == {"tool": "grep", "args": ["-n", {"x": None}]}
        both = conversations.add_exchange("a", "b", metadata={"model": "m"}, said_at="2026-02-01")
        assert (both.user.metadata, both.assistant.metadata) == ({}, {"model": "m"})
        assert both.user.said_at == both.assistant.said_at

    @pytest.mark.parametrize("blank", [None, "", " \n\t", "\u2003"], ids=ascii)
    def test_a_content_may_be_blank(self, memory: Memory, blank: str | None) -> None:
        """A model may only call tools, and a user may only send a picture."""
        conversations = memory.conversations
        sent = [conversations.add(role, blank, key=f"{role}") for role in Role]
        assert [message.content for message in sent] == [""] * len(Role)
        assert conversations.add("user", blank, key="user") == sent[0]
        both = conversations.add_exchange("I moved to Porto", blank)
        assert (both.assistant.content, both.user.content) == ("", "I moved to Porto")
        many = conversations.add_many([{"role": "tool", "content": blank}])
        listed = conversations.messages(both.user.conversation)
        assert list(listed) == [*sent, *both, *many]
        assert [hit.message for hit in conversations.search("Porto")] == [both.user]
        assert conversations.erase(both.assistant.id).messages == 1
        assert memory.context("Porto").messages("And now?")
        assert memory.audit.verify().ok

    @input_check
    @pytest.mark.parametrize("wrong", [5, b"text", ["text"]], ids=repr)
    def test_a_content_is_text(self, memory: Memory, wrong: Any) -> None:
        with unchanged(memory), pytest.raises(InvalidInputError, match="content must be text"):
            memory.conversations.add("user", wrong)

    def test_a_retried_call_stores_once(self, memory: Memory, clock: FakeClock) -> None:
        """This holds even if the conversation has ended meanwhile."""
        conversations = memory.conversations
        first = conversations.add("user", "hello", key="call 1")
        pair = conversations.add_exchange("how are you?", "fine", key="call 2")
        clock.advance(hours=5)
        with unchanged(memory):
            assert conversations.add("user", "hello", key="call 1") == first
            assert conversations.add_exchange("how are you?", "fine", key="call 2") == pair
        conversations.close(first.conversation)
        with unchanged(memory):
            assert conversations.add("user", "hello", key="call 1") == first
        assert memory.scoped(user="ana").conversations.add("user", "x", key="call 1") != first

    def test_a_key_with_other_content_is_a_conflict(self, memory: Memory) -> None:
        """The second message of an exchange goes to the conversation of the first."""
        conversations = memory.conversations
        first = conversations.add("user", "hello", key="1")
        conversations.start()
        with unchanged(memory):
            with pytest.raises(ConflictError, match="key '1'"):
                conversations.add("user", "bye", key="1")
            with pytest.raises(ConflictError, match="key '1'"):
                conversations.add_exchange("bye", "bye", key="1")
        pair = conversations.add_exchange("hello", "hi", key="1")
        assert pair.user == first
        assert (pair.assistant.conversation, pair.assistant.position) == (first.conversation, 2)

    def test_an_exchange_is_stored_whole_or_not_at_all(self, memory: Memory) -> None:
        """An invalid answer keeps the question out."""
        conversations = memory.conversations
        one = conversations.current().id
        for bad in ("\ud800", "\0", "x" * 1_000_001):
            with unchanged(memory), pytest.raises(InvalidInputError):
                conversations.add_exchange("a good question", bad, conversation=one)
        assert list(conversations.messages(one)) == []

    @pytest.mark.parametrize(
        ("details", "error"),
        [
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
        with unchanged(memory), pytest.raises(error):
            memory.conversations.add(**{"role": "user", "content": "x", **details})

    def test_the_cursor_leads_to_earlier_messages(self, memory: Memory) -> None:
        """Each page is in order."""
        conversations = memory.conversations
        for number in range(5):
            conversations.add("user", str(number))
        one = conversations.current().id
        last = conversations.messages(one, limit=2)
        middle = conversations.messages(one, limit=2, cursor=last.next)
        first = conversations.messages(one, limit=2, cursor=middle.next)
        assert [said(page) for page in (first, middle, last)] == [["0"], ["1", "2"], ["3", "4"]]
        assert first.next is None
        with pytest.raises(InvalidInputError, match="cursor"):
            conversations.messages(one, cursor="x")


class UndoMessagesContract(Contract):
    def test_undo_hides_the_last_messages(self, memory: Memory) -> None:
        """They are kept with `undone_at`, are not shown or found, and later messages follow."""
        conversations = memory.conversations
        conversations.add_exchange("the tea is green", "is it?")
        conversations.add_exchange("the tea is black", "so it is")
        one = conversations.current().id
        undone = conversations.undo(one, 2, reason="a slip")
        assert said(undone) == ["the tea is black", "so it is"]
        assert said(conversations.messages(one)) == ["the tea is green", "is it?"]
        assert conversations.get(one).messages == 2
        assert conversations.message(undone[0].id).undone_at is not None
        assert conversations.search("tea")[0].message.content == "the tea is green"
        assert not {hit.message.id for hit in conversations.search("tea black")} & {
            message.id for message in undone
        }
        assert conversations.add("user", "the tea is white").position == 5
        assert said(conversations.messages(one))[-1] == "the tea is white"
        assert memory.audit.verify().ok

    def test_undoing_too_many_messages_is_refused(self, memory: Memory) -> None:
        """No message is undone then."""
        conversations = memory.conversations
        one = conversations.add("user", "x").conversation
        with unchanged(memory):
            for count in (2, 0, -1, True):
                with pytest.raises(InvalidInputError):
                    conversations.undo(one, count)
        conversations.undo(one)
        with pytest.raises(InvalidInputError, match="only 0"):
            conversations.undo(one)

    def test_a_late_retry_does_not_restore_an_undone_message(self, memory: Memory) -> None:
        conversations = memory.conversations
        one = conversations.add("user", "oops", key="1")
        conversations.undo(one.conversation)
        with unchanged(memory):
            again = conversations.add("user", "oops", key="1")
        assert again.undone_at is not None
