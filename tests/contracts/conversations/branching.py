"""Branches of conversations, and summaries of messages."""

from __future__ import annotations

import pytest

from erstwhile.conversations.conversation import Message
from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.memory import Memory
from tests.contracts.base import Contract, unchanged
from tests.contracts.conversations.messages import said


class BranchingContract(Contract):
    def test_a_branch_begins_with_the_messages_of_its_parent(self, memory: Memory) -> None:
        conversations = memory.conversations
        conversations.add_exchange("tea or coffee?", "tea")
        turn = conversations.add("user", "green or black?")
        conversations.add("assistant", "green")
        old = turn.conversation
        branch = conversations.branch(turn.id)
        assert (branch.parent, branch.branched_at, branch.messages) == (old, turn.id, 3)
        assert conversations.current().id == branch.id
        conversations.add("assistant", "black")
        start = ["tea or coffee?", "tea", "green or black?"]
        assert said(conversations.messages(branch.id)) == [*start, "black"]
        assert said(conversations.messages(old)) == [*start, "green"]
        conversations.undo(old, 4)
        assert said(conversations.messages(branch.id)) == [*start, "black"]
        assert memory.audit.verify().ok

    def test_copies_refer_to_the_original_message(self, memory: Memory) -> None:
        conversations = memory.conversations
        first = conversations.add("user", "x", key="1", said_at="2026-01-01", metadata={"a": 1})
        branch = conversations.branch(first.id)
        [copy] = conversations.messages(branch.id)
        [again] = conversations.messages(conversations.branch(copy.id).id)
        for each in (copy, again):
            assert (each.copy_of, each.key, each.position) == (first.id, None, 1)
            assert (each.said_at, each.metadata) == (first.said_at, first.metadata)
        assert first.copy_of is None

    def test_a_message_is_found_once_however_many_branches_have_it(self, memory: Memory) -> None:
        conversations = memory.conversations
        first = conversations.add("user", "the tea is green")
        branch = conversations.branch(first.id)
        assert [hit.message for hit in conversations.search("tea")] == [first]
        [copied] = conversations.search("tea", conversation=branch.id)
        assert copied.message.copy_of == first.id
        assert [hit.message for hit in conversations.search("tea", exclude=branch.id)] == [first]
        conversations.undo(first.conversation)
        assert [hit.message for hit in conversations.search("tea")] == [copied.message]

    def test_a_branch_copies_the_summaries_of_its_messages(self, memory: Memory) -> None:
        conversations = memory.conversations
        messages = [conversations.add("user", str(number)) for number in range(4)]
        one = messages[0].conversation
        conversations.compact(one, "0 and 1", through=messages[1].id)
        conversations.compact(one, "2 and 3", through=messages[3].id)
        branch = conversations.transcript(conversations.branch(messages[2].id).id)
        assert [each.summary for each in branch.compactions] == ["0 and 1"]
        assert said(branch.messages) == ["2"]

    def test_a_branch_cannot_begin_at_an_undone_message(self, memory: Memory) -> None:
        conversations = memory.conversations
        conversations.add("user", "one")
        slip = conversations.add("user", "slip")
        conversations.undo(slip.conversation)
        last = conversations.add("user", "two")
        with unchanged(memory), pytest.raises(ConflictError, match="undone"):
            conversations.branch(slip.id)
        assert said(conversations.messages(conversations.branch(last.id).id)) == ["one", "two"]


class CompactionContract(Contract):
    @pytest.fixture
    def messages(self, memory: Memory) -> list[Message]:
        return [memory.conversations.add("user", f"m{number}") for number in range(1, 7)]

    def test_a_summary_covers_earlier_messages(
        self, memory: Memory, messages: list[Message]
    ) -> None:
        conversations, one = memory.conversations, messages[0].conversation
        made = conversations.compact(one, "the beginning", through=messages[3].id)
        assert (made.first, made.last) == (1, 4)
        told = conversations.transcript(one)
        assert [each.summary for each in told.compactions] == ["the beginning"]
        assert (said(told.messages), told.omitted) == (["m5", "m6"], 0)
        assert said(conversations.transcript(one, limit=1).messages) == ["m6"]
        assert conversations.transcript(one, limit=1).omitted == 1
        assert said(conversations.messages(one)) == [f"m{number}" for number in range(1, 7)]
        assert conversations.search("m2")[0].message.content == "m2"
        more = conversations.compact(one, "the rest")
        assert (more.first, more.last) == (5, 6)
        assert conversations.transcript(one).messages == ()

    def test_a_summary_is_recorded_once(self, memory: Memory, messages: list[Message]) -> None:
        conversations, one = memory.conversations, messages[0].conversation
        made = conversations.compact(one, "the beginning", through=messages[3].id)
        with unchanged(memory):
            assert conversations.compact(one, "the beginning", through=messages[3].id) == made
            for summary, through in (("else", messages[3]), ("the beginning", messages[1])):
                with pytest.raises(ConflictError, match="already have a summary"):
                    conversations.compact(one, summary, through=through.id)

    def test_summaries_can_be_undone(self, memory: Memory, messages: list[Message]) -> None:
        conversations, one = memory.conversations, messages[0].conversation
        made = [
            conversations.compact(one, text, through=messages[at].id)
            for text, at in (("0 and 1", 1), ("2", 2))
        ]
        assert conversations.expand(one, reason="too short") == made
        told = conversations.transcript(one)
        assert (told.compactions, len(told.messages)) == ((), len(messages))
        assert conversations.expand(one) == []
        assert conversations.compact(one, "all").first == 1
        assert memory.audit.verify().ok

    def test_undo_removes_its_summaries(self, memory: Memory, messages: list[Message]) -> None:
        conversations, one = memory.conversations, messages[0].conversation
        conversations.compact(one, "1 and 2", through=messages[1].id)
        conversations.compact(one, "3 to 6")
        conversations.undo(one, 2)
        told = conversations.transcript(one)
        assert [each.summary for each in told.compactions] == ["1 and 2"]
        assert said(told.messages) == ["m3", "m4"]
        again = conversations.compact(one, "3 and 4")
        assert (again.first, again.last) == (3, 4)
        assert memory.audit.verify().ok

    def test_other_messages_are_not_covered(self, memory: Memory, messages: list[Message]) -> None:
        conversations, one = memory.conversations, messages[0].conversation
        conversations.undo(one)
        with unchanged(memory):
            with pytest.raises(InvalidInputError, match="not among"):
                conversations.compact(one, "x", through=messages[5].id)
            with pytest.raises(InvalidInputError, match="blank"):
                conversations.compact(one, " ")
        other = conversations.start()
        with unchanged(memory):
            with pytest.raises(InvalidInputError, match="not among"):
                conversations.compact(other.id, "x", through=messages[0].id)
            with pytest.raises(InvalidInputError, match="no messages"):
                conversations.compact(other.id, "x")
