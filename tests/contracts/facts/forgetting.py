"""Forgetting: deleting hides, restoring brings back, purging and erasing destroy."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from erstwhile.core.errors import ConflictError, InvalidInputError, NotFoundError
from erstwhile.facts.fact import Fact
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import (
    Contract,
    contents,
    input_check,
    remember_in_parts,
    texts,
    told,
    unchanged,
)


class DeletingContract(Contract):
    def test_a_deleted_fact_is_in_no_answer(self, memory: Memory, clock: FakeClock) -> None:
        fact = memory.facts.set("city", "Rome", entities=["Rome"], tags=["t"])
        clock.advance(days=1)
        memory.facts.delete(fact.id, reason="private")
        then: dict[str, Any] = {"known_at": fact.recorded_at}
        for asked in ({}, then, {"as_of": fact.valid_from}):
            assert memory.facts.count(state="any", **asked) == 0
            assert memory.facts.list(state="any", **asked).items == ()
            assert memory.facts.value("city", **asked) is None
            assert memory.entities.list(**asked).items == ()
            for ask in (memory.facts.get, memory.facts.history):
                with pytest.raises(NotFoundError, match="deleted"):
                    ask(fact.id, **asked)
        assert texts(memory.facts.list(deleted=True)) == ["Rome"]
        assert (memory.stats().live, memory.stats().deleted) == (0, 1)

    def test_history_of_neighbours_omits_it(self, memory: Memory, clock: FakeClock) -> None:
        old = memory.remember("an old secret")
        clock.advance(days=1)
        new = memory.facts.replace(old.id, "new")
        memory.facts.delete(old.id)
        assert [step.fact.text for step in memory.facts.history(new.id)] == ["new"]
        known = memory.facts.history(new.id, known_at=new.recorded_at)
        assert [step.fact.text for step in known] == ["new"]

    def test_restoring_brings_it_back_as_it_was(self, memory: Memory, clock: FakeClock) -> None:
        fact = memory.facts.set("city", "Rome", entities=["Rome"], tags=["t"])
        known = memory.facts.list(known_at=fact.recorded_at)
        clock.advance(days=1)
        memory.facts.delete(fact.id)
        back = memory.facts.restore(fact.id, reason="needed")
        assert (back.deleted_at, back.valid_from, back.evidence) == (None, fact.valid_from, 1)
        assert memory.facts.value("city") == "Rome"
        assert texts(memory.facts.list(tag="t", entity="rome")) == ["Rome"]
        assert memory.facts.list(known_at=fact.recorded_at) == known
        steps = [(step.action, step.reason) for step in memory.facts.history(fact.id)]
        assert steps == [("remember", None), ("delete", None), ("restore", "needed")]

    def test_a_retired_fact_comes_back_retired(self, memory: Memory) -> None:
        old = memory.remember("x")
        memory.facts.replace(old.id, "y")
        memory.facts.delete(old.id)
        assert memory.facts.restore(old.id).ending == "superseded"
        assert texts(memory.facts.list()) == ["y"]

    def test_restoring_is_refused_when_the_place_is_taken(self, memory: Memory) -> None:
        fact = memory.remember("x")
        memory.facts.delete(fact.id)
        memory.remember("x")
        with unchanged(memory), pytest.raises(ConflictError, match="in its place"):
            memory.facts.restore(fact.id)
        fact = memory.facts.set("city", "Rome")
        memory.facts.delete(fact.id)
        memory.facts.set("city", "Oslo")
        with unchanged(memory), pytest.raises(ConflictError, match="in its place"):
            memory.facts.restore(fact.id)

    def test_nothing_else_can_be_done_to_it(self, memory: Memory) -> None:
        fact, other = memory.remember("x"), memory.remember("y")
        memory.facts.delete(fact.id)
        facts = memory.facts
        for act in (facts.delete, facts.confirm, facts.pin, facts.unpin, facts.undo):
            with unchanged(memory), pytest.raises(NotFoundError, match="restore"):
                act(fact.id)
        with unchanged(memory), pytest.raises(NotFoundError, match="not deleted"):
            facts.restore(other.id)

    def test_a_shortened_id_picks_among_the_facts_it_can_mean(self, memory: Memory) -> None:
        facts = memory.remember_many([str(number) for number in range(7)])
        for fact in facts[:6]:
            memory.facts.delete(fact.id)
        begin = facts[0].id[:13]
        assert memory.facts.get(begin) == facts[6]
        for fact in facts[1:6]:
            memory.facts.restore(fact.id)
        memory.facts.restore(begin)
        assert memory.facts.count() == 7


class ErasingContract(Contract):
    @pytest.fixture
    def secret(self, memory: Memory, clock: FakeClock) -> Fact:
        fact = memory.remember(
            "Ana's PIN is 4711", entities=["Ana", "the PIN"], tags=["secret"],
            relations=[("Ana", "owns", "the PIN")], metadata={"note": "4711"},
        )  # fmt: skip
        memory.facts.confirm(fact.id, reason="4711 it is")
        memory.entities.add_alias("the PIN", "4711", reason="4711")
        clock.advance(days=1)
        return fact

    def test_erasing_leaves_no_answer_about_it(self, memory: Memory, secret: Fact) -> None:
        memory.remember("Ana likes tea", entities=["Ana"])
        memory.facts.erase(secret.id)
        assert "4711" not in told(contents(memory))
        assert [entity.name for entity in memory.entities.list()] == ["Ana"]
        assert memory.facts.count(state="any") == 1
        with pytest.raises(NotFoundError):
            memory.facts.get(secret.id)
        with pytest.raises(NotFoundError):
            memory.facts.restore(secret.id)
        assert memory.facts.count(known_at=secret.recorded_at) == 0
        assert memory.audit.verify().ok
        assert memory.audit.list(subject=secret.id)[0].action == "erase"

    def test_the_receipt_counts_and_tells_nothing(self, memory: Memory, secret: Fact) -> None:
        receipt = memory.facts.erase(secret.short_id)
        assert (receipt.ids, receipt.facts) == ((secret.id,), 1)
        assert (receipt.versions, receipt.tags, receipt.relations) == (1, 1, 1)
        assert (receipt.mentions, receipt.entities, receipt.audit_entries) == (2, 2, 3)
        assert "4711" not in told(replace(receipt, ids=()))  # an id may have these digits
        memory.facts.erase(secret.id)
        again = memory.remember(secret.text)
        assert (again.id != secret.id, again.evidence) == (True, 1)
        assert memory.audit.verify().ok

    def test_deleted_and_retired_facts_can_be_erased(self, memory: Memory) -> None:
        old = memory.remember("1")
        new = memory.facts.replace(old.id, "2")
        gone = memory.remember("3")
        memory.facts.delete(gone.id)
        receipt = memory.facts.erase(old.id, new.id, gone.id, old.id)
        assert receipt.ids == (old.id, new.id, gone.id)
        stats = memory.stats()
        assert (stats.live, stats.retired, stats.deleted) == (0, 0, 0)
        assert memory.audit.verify().ok

    def test_erasing_is_all_or_nothing(self, memory: Memory, secret: Fact) -> None:
        with unchanged(memory), pytest.raises(NotFoundError):
            memory.facts.erase(secret.id, "00000000-0000-7000-8000-000000000000")
        for blank in ((), ("",), (" ",), (secret.id, "")):
            with unchanged(memory), pytest.raises(InvalidInputError):
                memory.facts.erase(*blank)

    def test_a_shortened_id_must_mean_one_fact_deleted_or_not(self, memory: Memory) -> None:
        one, two = memory.remember_many(["1", "2"])
        memory.facts.delete(one.id)
        with unchanged(memory), pytest.raises(InvalidInputError, match="several"):
            memory.facts.erase(two.id[:13])

    def test_erasing_again_is_no_error_and_no_change(self, memory: Memory, secret: Fact) -> None:
        other = memory.remember("x")
        third = memory.remember("y")
        memory.facts.erase(secret.id, other.id, third.id)
        with unchanged(memory):
            receipt = memory.facts.erase(secret.short_id)
        assert (receipt.ids, receipt.versions, receipt.audit_entries) == ((secret.id,), 0, 0)
        assert other.id[:13] == third.id[:13]
        with unchanged(memory), pytest.raises(NotFoundError):
            memory.facts.erase(other.id[:13])

    def test_a_chain_with_a_hole_still_tells_its_history(self, memory: Memory) -> None:
        one = memory.remember("1")
        two = memory.facts.replace(one.id, "2")
        memory.facts.replace(two.id, "3")
        memory.facts.erase(two.id)
        assert [step.action for step in memory.facts.history(one.id)] == ["remember", "supersede"]
        assert texts(memory.facts.list()) == ["3"]
        assert memory.audit.verify().ok


class PurgingContract(Contract):
    def test_only_old_deletions_are_purged(self, memory: Memory, clock: FakeClock) -> None:
        """Live and retired facts stay, and so do recent deletions."""
        old, recent, retired, live = memory.remember_many(["old", "recent", "retired", "live"])
        memory.facts.retire(retired.id, "wrong")
        memory.facts.delete(old.id)
        clock.advance(days=20)
        memory.facts.delete(recent.id)
        clock.advance(days=10, seconds=1)
        receipt = memory.facts.purge()
        assert receipt.ids == (old.id,)
        assert texts(memory.facts.list(state="any")) == ["live", "retired"]
        assert memory.facts.get(live.id) == live
        assert memory.facts.restore(recent.id).text == "recent"
        with pytest.raises(NotFoundError):
            memory.facts.restore(old.id)
        assert memory.audit.verify().ok

    @pytest.mark.parametrize(
        "age", ["2 days", "2 days ago", timedelta(days=2), "2026-03-01T12:00:00.000001Z"], ids=str
    )
    def test_an_age_has_several_forms(self, memory: Memory, clock: FakeClock, age: Any) -> None:
        fact = memory.remember("x")
        memory.facts.delete(fact.id)
        clock.advance(days=1)
        assert memory.facts.purge("2 days").facts == 0
        clock.advance(days=1, microseconds=1)
        assert memory.facts.purge(age).ids == (fact.id,)

    @input_check
    @pytest.mark.parametrize(
        "age", ["in 3 days", timedelta(days=-1), "tomorrow", "", "old", 30, None], ids=str
    )
    def test_what_is_no_age_purges_nothing(self, memory: Memory, age: Any) -> None:
        memory.facts.delete(memory.remember("x").id)
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.facts.purge(age)

    def test_all_batches_are_purged(self, memory: Memory, clock: FakeClock) -> None:
        memory.remember("x")
        with unchanged(memory):
            assert memory.facts.purge("0 days").facts == 0
        for fact in remember_in_parts(memory, (f"fact {number}" for number in range(501))):
            memory.facts.delete(fact.id)
        clock.advance(days=31)
        assert memory.facts.purge().facts == 501
        assert memory.stats().deleted == 0
        assert memory.audit.verify().ok


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
    def test_no_filter_is_not_everything(self, stocked: Memory, nothing: dict[str, Any]) -> None:
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
    def test_facts_are_listed_by_their_conversation(self, memory: Memory, clock: FakeClock) -> None:
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
