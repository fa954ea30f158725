"""Forgetting: deleting hides, restoring brings back, purging and erasing destroy."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from erstwhile.core.errors import ConflictError, InvalidInputError, NotFoundError
from erstwhile.facts.fact import Fact
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, contents, input_check, texts, unchanged


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

    def test_the_history_of_its_neighbours_does_not_tell_of_it(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """A chain shows its visible links only."""
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
        """Deleting and restoring ends or revives nothing."""
        old = memory.remember("x")
        memory.facts.replace(old.id, "y")
        memory.facts.delete(old.id)
        assert memory.facts.restore(old.id).ending == "superseded"
        assert texts(memory.facts.list()) == ["y"]

    def test_restoring_never_makes_a_twin(self, memory: Memory) -> None:
        """The same words were said again since."""
        fact = memory.remember("x")
        memory.facts.delete(fact.id)
        memory.remember("x")
        with unchanged(memory), pytest.raises(ConflictError, match="in its place"):
            memory.facts.restore(fact.id)

    def test_restoring_never_gives_a_key_two_values(self, memory: Memory) -> None:
        """Another value was set since."""
        fact = memory.facts.set("city", "Rome")
        memory.facts.delete(fact.id)
        memory.facts.set("city", "Oslo")
        with unchanged(memory), pytest.raises(ConflictError, match="in its place"):
            memory.facts.restore(fact.id)

    def test_nothing_else_can_be_done_to_it(self, memory: Memory) -> None:
        """Deleted again, changed or confirmed: it is not there; restoring is for deleted facts."""
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

    def test_erasing_leaves_nothing_that_can_be_asked_for(
        self, memory: Memory, secret: Fact
    ) -> None:
        memory.remember("Ana likes tea", entities=["Ana"])
        memory.facts.erase(secret.id)
        assert "4711" not in repr(contents(memory))
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
        """It says how much went, and none of it."""
        receipt = memory.facts.erase(secret.short_id)
        assert (receipt.ids, receipt.facts) == ((secret.id,), 1)
        assert (receipt.versions, receipt.tags, receipt.relations) == (1, 1, 1)
        assert (receipt.mentions, receipt.entities, receipt.audit_entries) == (2, 2, 3)
        assert "4711" not in repr(receipt)

    def test_deleted_and_retired_facts_can_be_erased(self, memory: Memory) -> None:
        """Clearing does not stop at what is live."""
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
        """One id that fits nothing refuses them all; no id at all never means all."""
        with unchanged(memory), pytest.raises(NotFoundError):
            memory.facts.erase(secret.id, "00000000-0000-7000-8000-000000000000")
        for blank in ((), ("",), (" ",), (secret.id, "")):
            with unchanged(memory), pytest.raises(InvalidInputError):
                memory.facts.erase(*blank)

    def test_a_shortened_id_must_mean_one_fact_deleted_or_not(self, memory: Memory) -> None:
        """What cannot be taken back picks nobody."""
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
        """Neighbours of an erased fact keep their own life."""
        one = memory.remember("1")
        two = memory.facts.replace(one.id, "2")
        memory.facts.replace(two.id, "3")
        memory.facts.erase(two.id)
        assert [step.action for step in memory.facts.history(one.id)] == ["remember", "supersede"]
        assert texts(memory.facts.list()) == ["3"]
        assert memory.audit.verify().ok

    def test_what_was_erased_can_be_said_again(self, memory: Memory, secret: Fact) -> None:
        memory.facts.erase(secret.id)
        again = memory.remember(secret.text)
        assert (again.id != secret.id, again.evidence) == (True, 1)
        assert memory.audit.verify().ok


class PurgingContract(Contract):
    def test_only_what_was_deleted_long_enough_ago_goes(
        self, memory: Memory, clock: FakeClock
    ) -> None:
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
    def test_an_age_may_be_written_in_several_ways(
        self, memory: Memory, clock: FakeClock, age: Any
    ) -> None:
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

    def test_nothing_to_purge_is_no_change(self, memory: Memory) -> None:
        """The receipt says so."""
        memory.remember("x")
        with unchanged(memory):
            assert memory.facts.purge("0 days").facts == 0

    def test_more_than_one_batch_is_purged(self, memory: Memory, clock: FakeClock) -> None:
        for fact in memory.remember_many([f"fact {number}" for number in range(501)]):
            memory.facts.delete(fact.id)
        clock.advance(days=31)
        assert memory.facts.purge().facts == 501
        assert memory.stats().deleted == 0
        assert memory.audit.verify().ok
