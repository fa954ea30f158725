"""Summaries by key sentences, and the messages that fit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from hypothesis import given
from hypothesis import strategies as st

from erstwhile.context.history import fitting, key_sentences
from erstwhile.conversations.conversation import Message, Role
from erstwhile.core.ids import new_id
from erstwhile.core.scope import SHARED

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TALK = new_id(NOON)


def said(content: str, position: int = 1, role: Role = Role.USER) -> Message:
    return Message(
        id=new_id(NOON + timedelta(seconds=position)),
        scope=SHARED,
        conversation=TALK,
        position=position,
        role=role,
        content=content,
        said_at=NOON,
        metadata=MappingProxyType({}),
        key=None,
        copy_of=None,
        undone_at=None,
    )


def all_said(*contents: str) -> list[Message]:
    return [said(content, position) for position, content in enumerate(contents, 1)]


contents = st.text(min_size=1, max_size=400).filter(lambda text: not text.isspace())


@given(st.lists(contents, max_size=12), st.integers(0, 500))
def test_a_summary_keeps_to_its_room_and_is_always_the_same(texts: list[str], room: int) -> None:
    messages = all_said(*texts)
    assert len(key_sentences(messages, room)) <= room
    assert key_sentences(messages, room) == key_sentences(messages, room)


def test_what_fits_is_kept_whole_and_in_order() -> None:
    messages = [*all_said("One. Two!", "Three?"), said("Four", 3, Role.ASSISTANT)]
    assert key_sentences(messages, 1_000) == "user: One. Two!\nuser: Three?\nassistant: Four"


def test_what_everybody_speaks_of_is_told_first() -> None:
    messages = all_said(
        "Good morning! The migration of the database is planned for Friday.",
        "Lovely weather. We back the database up before the migration.",
        "My cat sleeps. The migration needs the new database password.",
    )
    told = key_sentences(messages, 180)
    assert told.count("migration") == 3
    assert "cat" not in told
    assert "morning" not in told


def test_the_second_sentence_is_about_something_else() -> None:
    messages = all_said(
        "The ferry to the island leaves at nine.",
        "The ferry to the island leaves at nine o'clock.",
        "The ferry to the island leaves at nine sharp.",
        "Tickets cost twelve euros.",
    )
    assert "Tickets" in key_sentences(messages, 90)


def test_chinese_sentences_are_told_apart() -> None:
    """Chinese sentences end without a space."""
    messages = all_said(
        "我们周五迁移数据库。今天天气很好！", "迁移数据库之前要备份。", "猫在睡觉。"
    )
    told = key_sentences(messages, 30)
    assert "迁移数据库" in told
    assert "天气" not in told


def test_a_sentence_without_end_is_cut() -> None:
    told = key_sentences(all_said("word " * 10_000), 10_000)
    assert told.endswith("…")
    assert len(told) < 300


def test_what_tools_returned_is_left_out_unless_there_is_nothing_else() -> None:
    noise = said("exit code 0", 2, Role.TOOL)
    assert key_sentences([said("All is fine."), noise], 100) == "user: All is fine."
    assert key_sentences([noise], 100) == "tool: exit code 0"


def test_lines_that_are_no_lines_to_all_readers_are_ends_too() -> None:
    told = key_sentences(all_said("first\u2028second\r\nthird"), 100)
    assert told == "user: first second third"


@given(st.lists(st.integers(0, 50), max_size=20), st.integers(0, 200))
def test_the_last_messages_that_fit_are_kept_without_a_gap(costs: list[int], room: int) -> None:
    messages = all_said(*(str(cost) for cost in costs))
    priced = {each.id: int(each.content) for each in messages}
    kept = fitting(messages, room, priced)
    count = len(kept)
    assert kept == messages[len(messages) - count :]
    assert sum(costs[len(costs) - count :]) <= room
    assert count == len(costs) or sum(costs[len(costs) - count - 1 :]) > room
    assert not fitting(messages, room, {})
