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
from erstwhile.core.results import Hits
from erstwhile.memory import Memory
from erstwhile.recall.hits import Hit
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, unchanged


def said(messages: Any) -> list[str]:
    return [message.content for message in messages]


class MessagesContract(Contract):
    def test_an_exchange_keeps_its_order(self, memory: Memory) -> None:
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

    def test_messages_keep_their_order(self, memory: Memory, clock: FakeClock) -> None:
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

    def test_a_message_keeps_its_role_and_fields(self, memory: Memory) -> None:
        conversations = memory.conversations
        for role in Role:
            assert conversations.add(role.value, f"I am {role}").role is role
        assert {hit.message.role for hit in conversations.search("I am")} == set(Role)
        with unchanged(memory), pytest.raises(InvalidInputError, match="unknown role 'robot'"):
            conversations.add("robot", "beep")
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


STRANGE = (
    "NEAR(", '"', "a AND", "* OR *", "terms:x", "(((", "-", "a* -b", "^x", "x\0y"[:1], "{x}",
    "' OR 1=1 --", "😀", "\u202e", "and", "的", "NOT NOT", "col : x", "+", "ː", "m1ːtea",
)  # fmt: skip


def found(hits: Hits[Hit]) -> list[str]:
    return [hit.message.content for hit in hits]


class MessageSearchContract(Contract):
    def test_a_sentence_finds_messages_with_some_of_its_words(self, memory: Memory) -> None:
        conversations = memory.conversations
        conversations.add_exchange(
            "Which database do we run?", "Postgres 17, since the move in May."
        )
        conversations.add_exchange("And the weather?", "Rain.")
        first, *others = found(conversations.search("did we move to another database?"))
        assert first == "Which database do we run?"
        assert "Postgres 17, since the move in May." in others
        assert found(conversations.search("snow")) == []

    @pytest.mark.parametrize(
        ("said", "asked"),
        [
            ("我们把数据库迁移到了 Postgres", "数据库"),
            ("明日は会議があります", "会議"),
            ("내일 회의가 있습니다", "회의"),
            ("พรุ่งนี้มีประชุม", "ประชุม"),
            ("Завтра будет встреча", "встреча"),
            ("غدا لدينا اجتماع", "اجتماع"),
            ("Das Café ist geöffnet", "cafe GEOFFNET"),
            ("the meetings were moved", "moving a meeting"),
            ("see src/app.py, getUserName", "user name"),
            ("ok", "ok"),
        ],
    )
    def test_any_language_is_found(self, memory: Memory, said: str, asked: str) -> None:
        conversations = memory.conversations
        conversations.add("assistant", said)
        conversations.add("user", "something else")
        first, *beside = found(conversations.search(asked))
        assert first == said
        assert beside in ([], ["something else"])

    @pytest.mark.parametrize("query", STRANGE)
    def test_no_query_is_an_error(self, memory: Memory, query: str) -> None:
        conversations = memory.conversations
        conversations.add("user", "the tea is green")
        assert not conversations.search(query)

    @pytest.mark.parametrize(
        ("asked", "error"),
        [
            ({"query": ""}, InvalidInputError),
            ({"query": "x" * 100_001}, TooLargeError),
            ({"limit": 0}, InvalidInputError),
            ({"role": "robot"}, InvalidInputError),
            ({"since": "some day"}, InvalidInputError),
            ({"channel": ""}, InvalidInputError),
            ({"exclude": "0198c0de"}, NotFoundError),
            ({"conversation": "0198c0de"}, NotFoundError),
        ],
    )
    def test_an_invalid_filter_is_an_error(
        self, memory: Memory, asked: dict[str, Any], error: type[Exception]
    ) -> None:
        with pytest.raises(error):
            memory.conversations.search(**{"query": "tea", **asked})

    def test_a_search_can_be_filtered(self, memory: Memory, clock: FakeClock) -> None:
        conversations = memory.conversations
        old = conversations.add("user", "tea in the morning", channel="mail")
        clock.advance(days=1)
        answer = conversations.add("assistant", "tea at noon", channel="mail")
        clock.advance(days=1)
        now = conversations.add("user", "tea at night")
        assert len(conversations.search("tea")) == 3
        assert found(conversations.search("tea", role="assistant")) == ["tea at noon"]
        assert found(conversations.search("tea", channel="default")) == ["tea at night"]
        assert found(conversations.search("tea", since=answer.said_at)) == [
            "tea at night",
            "tea at noon",
        ]
        assert found(conversations.search("tea", until=answer.said_at)) == ["tea in the morning"]
        assert found(conversations.search("tea", conversation=old.conversation)) == [
            "tea in the morning"
        ]
        assert "tea at night" not in found(conversations.search("tea", exclude=now.conversation))

    def test_filters_apply_before_the_limit(self, memory: Memory) -> None:
        conversations, bob = memory.conversations, memory.scoped(user="bob").conversations
        for number in range(60):
            bob.add("user", "tea tea tea")
            conversations.add("assistant", "tea tea")
            if number % 20 == 0:
                conversations.add(
                    "user", f"my tea, with a good deal of other words, number {number}"
                )
        hits = conversations.search("tea", role="user", limit=3)
        assert len(hits) == 3
        assert all("my tea" in hit.message.content for hit in hits)

    def test_messages_of_others_change_neither_order_nor_score(self, memory: Memory) -> None:
        ana, bob = memory.scoped(user="ana").conversations, memory.scoped(user="bob").conversations
        for text in ("tea and cake", "cake and cake", "tea", "tea and bread", "bread"):
            ana.add("user", text)
        before = ana.search("tea cake bread")
        for number in range(50):
            bob.add("user", f"cake cake bread {number}")
        assert ana.search("tea cake bread") == before

    def test_a_hit_shows_the_matching_passage(self, memory: Memory) -> None:
        conversations = memory.conversations
        long = "before. " * 300 + "The green tea stands here. " + "after. " * 300
        conversations.add("user", long)
        conversations.add("tool", "前文。" * 300 + "绿茶在这里。" + "后文。" * 300)
        for query, shown in (("green tea", "The green tea stands here"), ("绿茶", "绿茶在这里")):
            [hit] = conversations.search(query)
            start, end, text = hit.passage
            assert shown in text
            assert text == hit.message.content[start:end]
            assert len(text) < 700
        conversations.add("user", "one\n  two")
        assert conversations.search("two")[0].passage.text == "one\n  two"

    def test_equal_matches_come_newest_first(self, memory: Memory) -> None:
        conversations = memory.conversations
        said = [conversations.add("user", "tea", channel=str(n)).id for n in range(5)]
        assert [hit.message.id for hit in conversations.search("tea")] == said[::-1]
        assert [hit.message.id for hit in conversations.search("tea", limit=2)] == said[:2:-1]
