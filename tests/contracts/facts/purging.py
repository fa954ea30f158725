"""Purging facts that ended: by age or by a filter, never by neither."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, texts, unchanged


class PurgingRetiredContract(Contract):
    @pytest.fixture
    def stocked(self, memory: Memory, clock: FakeClock) -> Memory:
        """Facts that ended at three times in three ways, and facts that did not end."""
        memory.facts.retire(memory.remember("old", tags=["t"]).id, "wrong")
        memory.remember("ran out", kind="state", expires_at="in 1 hour")
        memory.remember("live", tags=["t"])
        clock.advance(days=100)
        memory.facts.retire(memory.remember("new", tags=["t"]).id, "superseded")
        memory.facts.delete(memory.remember("deleted", tags=["t"]).id)
        clock.advance(days=1)
        return memory

    @pytest.mark.parametrize(
        ("asked", "left"),
        [
            ({"older_than": "90 days"}, ["new", "live"]),
            ({"older_than": "0 days"}, ["live"]),
            ({"tag": "t"}, ["live", "ran out"]),
            ({"tag": "T", "older_than": "90 days"}, ["new", "live", "ran out"]),
            ({"contains": "RAN"}, ["new", "live", "old"]),
            ({"kind": "state", "tag": "t"}, ["new", "live", "ran out", "old"]),
            ({"older_than": "2 years"}, ["new", "live", "ran out", "old"]),
        ],
        ids=str,
    )
    def test_ended_facts_are_erased_by_age_and_filter(
        self, stocked: Memory, asked: dict[str, Any], left: list[str]
    ) -> None:
        """A preview tells the same number and changes nothing."""
        with unchanged(stocked):
            seen = stocked.facts.purge_retired(**asked, preview=True)
        done = stocked.facts.purge_retired(**asked)
        assert texts(stocked.facts.list(state="any")) == left
        assert texts(stocked.facts.list(deleted=True)) == ["deleted"]
        assert (seen.receipt, seen.collections) == (None, done.collections)
        assert done.receipt is not None
        count = 4 - len(left)
        assert done.receipt.facts == len(done.receipt.ids) == count
        assert dict(seen.collections) == ({"facts": count} if count else {})
        assert stocked.audit.verify()

    @input_check
    @pytest.mark.parametrize(
        "nothing", [{}, {"kind": None}, {"older_than": None, "tag": None}], ids=str
    )
    def test_no_filter_never_means_everything(
        self, stocked: Memory, nothing: dict[str, Any]
    ) -> None:
        for preview in (True, False):
            with unchanged(stocked), pytest.raises(InvalidInputError, match="older_than"):
                stocked.facts.purge_retired(**nothing, preview=preview)

    @input_check
    @pytest.mark.parametrize(
        "wrong",
        [{"older_than": "in 3 days"}, {"older_than": ""}, {"tag": ""}, {"kind": []}],
        ids=str,
    )
    def test_a_wrong_filter_is_refused(self, stocked: Memory, wrong: dict[str, Any]) -> None:
        with unchanged(stocked), pytest.raises(InvalidInputError):
            stocked.facts.purge_retired(**wrong)

    @input_check
    def test_live_facts_cannot_be_asked_for(self, stocked: Memory) -> None:
        for wrong in ({"state": "live"}, {"deleted": True}, {"as_of": "2020-01-01"}):
            with unchanged(stocked), pytest.raises(TypeError):
                stocked.facts.purge_retired("1 day", **wrong)

    def test_only_the_own_scope_is_purged(self, memory: Memory, clock: FakeClock) -> None:
        """An administrator purges all scopes, and is told which."""
        ana = memory.scoped(user="ana")
        for view in (memory, ana, ana.scoped(project="shop")):
            view.facts.retire(view.remember("x").id, "wrong")
        clock.advance(days=1)
        done = ana.facts.purge_retired("1 hour")
        assert (done.scopes, done.collections) == ((ana.scope,), {"facts": 1})
        everything = memory.everything()
        assert len(everything.facts.purge_retired("1 hour", preview=True).scopes) == 2
        everything.facts.purge_retired("1 hour")
        assert everything.facts.count(state="any") == 0


class FactsOfConversationContract(Contract):
    def test_facts_are_listed_by_the_conversation_they_come_from(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        one, two = memory.conversations.start(), memory.conversations.start("other")
        first = memory.remember("Ana likes tea", source=one.id)
        memory.remember("Ana likes milk", source=two.id)
        memory.remember("Ana likes rum")
        ticket = memory.remember("Ana likes ale", source='ticket "42%"')
        clock.advance(days=1)
        for given in (one.id, one.short_id, f" {one.id}"):
            assert memory.facts.list(conversation=given).items == (first,)
            assert memory.facts.count(conversation=given) == 1
        assert memory.facts.list(conversation='ticket "42%"').items == (ticket,)
        assert memory.facts.count(conversation="ticket") == 0
        memory.facts.retire(first.id, "superseded")
        assert memory.facts.count(conversation=one.id) == 0
        assert memory.facts.count(conversation=one.id, state="retired") == 1
        assert memory.facts.count(conversation=one.id, known_at=first.recorded_at) == 1
        memory.facts.purge_retired(conversation=one.id)
        assert memory.facts.count(state="any") == 3

    def test_a_query_is_narrowed_to_a_conversation(self, memory: Memory) -> None:
        """Facts and messages come from conversations, other records do not."""
        one, two = memory.conversations.start(), memory.conversations.start("other")
        for chat in (one, two):
            memory.conversations.add("user", "tea for me", conversation=chat.id)
            memory.remember(f"Ana ordered tea in {chat.channel}", source=chat.id)
        memory.lessons.add("serving", "Warm the tea pot")
        hits = memory.recall("tea", among="all", conversation=two.short_id)
        assert sorted(hit.kind for hit in hits) == ["facts", "messages"]
        assert {_conversation(hit.record) for hit in hits} == {two.id}

    @input_check
    @pytest.mark.parametrize("wrong", ["", " ", 5, "x" * 201])
    def test_a_blank_conversation_is_refused(self, memory: Memory, wrong: Any) -> None:
        with pytest.raises(InvalidInputError):
            memory.facts.list(conversation=wrong)


def _conversation(record: Any) -> str:
    return str(
        record.conversation if hasattr(record, "conversation") else record.source.conversation
    )
