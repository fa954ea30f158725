"""Full-text search of messages: languages, filters, limits and snippets."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError, NotFoundError, TooLargeError
from erstwhile.core.hits import Hits
from erstwhile.memory import Memory
from erstwhile.recall.hits import Hit
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract

STRANGE = (
    "NEAR(", '"', "a AND", "* OR *", "terms:x", "(((", "-", "a* -b", "^x", "x\0y"[:1], "{x}",
    "' OR 1=1 --", "😀", "\u202e", "and", "的", "NOT NOT", "col : x", "+", "ː", "m1ːtea",
)  # fmt: skip


def found(hits: Hits[Hit]) -> list[str]:
    return [hit.message.content for hit in hits]


class MessageSearchContract(Contract):
    def test_a_sentence_finds_messages_with_some_of_its_words(self, memory: Memory) -> None:
        """The best comes first; the query is not searched as one phrase."""
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
        """This includes words of two characters, inflected words and parts of identifiers."""
        conversations = memory.conversations
        conversations.add("assistant", said)
        conversations.add("user", "something else")
        first, *beside = found(conversations.search(asked))
        assert first == said
        assert beside in ([], ["something else"])

    @pytest.mark.parametrize("query", STRANGE)
    def test_no_query_is_an_error(self, memory: Memory, query: str) -> None:
        """Query syntax of a search engine is plain text here."""
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
        """An invalid filter is never ignored."""
        with pytest.raises(error):
            memory.conversations.search(**{"query": "tea", **asked})

    def test_a_search_can_be_filtered(self, memory: Memory, clock: FakeClock) -> None:
        """Filters are role, channel, time, conversation and an excluded conversation."""
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
        """Messages that are invisible or filtered out take no place among the first."""
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
        """The rarity of a word is counted among visible messages."""
        ana, bob = memory.scoped(user="ana").conversations, memory.scoped(user="bob").conversations
        for text in ("tea and cake", "cake and cake", "tea", "tea and bread", "bread"):
            ana.add("user", text)
        before = ana.search("tea cake bread")
        for number in range(50):
            bob.add("user", f"cake cake bread {number}")
        assert ana.search("tea cake bread") == before

    def test_a_hit_shows_the_matching_passage(self, memory: Memory) -> None:
        """A short message is shown whole, a long one around the words, at its place."""
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
        """So the order is deterministic."""
        conversations = memory.conversations
        said = [conversations.add("user", "tea", channel=str(n)).id for n in range(5)]
        assert [hit.message.id for hit in conversations.search("tea")] == said[::-1]
        assert [hit.message.id for hit in conversations.search("tea", limit=2)] == said[:2:-1]
