"""Retiring a fact with its three endings, and undoing it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from erstwhile.core.errors import ConflictError, InvalidInputError, NotFoundError
from erstwhile.core.kinds import Ending
from erstwhile.facts.fact import Fact
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, texts, unchanged


class RetiringContract(Contract):
    @pytest.fixture
    def fact(self, memory: Memory, clock: FakeClock) -> Fact:
        fact = memory.remember("x", valid_from="2026-01-01")
        clock.advance(days=1)
        return fact

    @pytest.mark.parametrize("ending", ["superseded", "expired", Ending.SUPERSEDED])
    def test_superseded_and_expired_were_true_until_now(
        self, memory: Memory, clock: FakeClock, fact: Fact, ending: Any
    ) -> None:
        """The past keeps them."""
        ended = memory.facts.retire(fact.id, ending, reason="ending")
        assert (ended.ending, ended.valid_to) == (Ending(ending), clock.now())
        assert ended.retired_at == ended.known_from == clock.now()
        assert memory.facts.count() == 0
        assert texts(memory.facts.list(as_of="2026-02-01")) == ["x"]

    def test_wrong_was_never_true(self, memory: Memory, fact: Fact) -> None:
        """No valid time is left, and what we believed then still shows as that."""
        ended = memory.facts.retire(fact.id, "wrong")
        assert (ended.ending, ended.valid_to) == (Ending.WRONG, ended.valid_from)
        assert memory.facts.count(as_of="2026-02-01") == 0
        assert texts(memory.facts.list(as_of="2026-02-01", known_at=fact.recorded_at)) == ["x"]

    @pytest.mark.parametrize("ending", ["superseded", "expired"])
    def test_it_may_have_ended_earlier(self, memory: Memory, fact: Fact, ending: str) -> None:
        ended = memory.facts.retire(fact.id, ending, ended="2026-02-01")
        assert ended.valid_to is not None
        assert ended.valid_to.isoformat() == "2026-02-01T00:00:00+00:00"
        assert texts(memory.facts.list(as_of="2026-01-31")) == ["x"]
        assert memory.facts.count(as_of="2026-02-01") == 0

    def test_an_end_before_the_beginning_is_refused(self, memory: Memory, fact: Fact) -> None:
        """A fact that never was true is wrong."""
        with unchanged(memory), pytest.raises(InvalidInputError, match="not true yet"):
            memory.facts.retire(fact.id, "superseded", ended="2020-01-01")
        ended = memory.facts.retire(fact.id, "superseded", ended=fact.valid_from)
        assert ended.valid_to == ended.valid_from

    def test_a_fact_whose_time_ran_out_has_an_ending(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """Wherever it is read; at an earlier time it had none, and renewing it takes it away."""
        fact = memory.remember("y", kind="state", expires_at="1h")
        clock.advance(days=1)
        for read in (
            memory.facts.get(fact.id),
            memory.facts.list(state="retired")[0],
            memory.recall("y", include_retired=True, floor=0.0)[0].fact,
        ):
            assert read.ending == "expired"
        assert memory.facts.get(fact.id, as_of=fact.recorded_at).ending is None
        assert memory.facts.pin(fact.id).ending is None
        again = memory.remember("y", kind="state", expires_at="in 2 days")
        assert memory.facts.get(again.id).ending is None
        assert memory.audit.verify().ok

    def test_an_end_after_its_expiry_is_the_expiry(self, memory: Memory, clock: FakeClock) -> None:
        """It was not true any longer when it was retired."""
        fact = memory.remember("y", expires_at="1h")
        clock.advance(days=1)
        assert memory.facts.retire(fact.id, "superseded").valid_to == fact.expires_at

    @input_check
    @pytest.mark.parametrize("ended", ["tomorrow", "soon", "", "in 1 s"])
    def test_an_end_to_come_is_refused(self, memory: Memory, fact: Fact, ended: str) -> None:
        """That is what an expiry is for."""
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.facts.retire(fact.id, "superseded", ended=ended)

    @input_check
    @pytest.mark.parametrize("ending", ["", "boring", "Wrong", None, "deleted"])
    def test_there_are_three_endings(self, memory: Memory, fact: Fact, ending: Any) -> None:
        """Others are refused."""
        with unchanged(memory), pytest.raises(InvalidInputError, match="ending"):
            memory.facts.retire(fact.id, ending)

    def test_a_fact_ends_once(self, memory: Memory, fact: Fact) -> None:
        """A second ending would hide the first."""
        memory.facts.retire(fact.id, "superseded")
        with unchanged(memory), pytest.raises(ConflictError, match="ended already"):
            memory.facts.retire(fact.id, "wrong")

    def test_an_upcoming_fact_can_be_called_off(self, memory: Memory) -> None:
        """It then never was true, and is not upcoming any more."""
        fact = memory.remember("the fair is on", valid_from="in 3 days")
        ended = memory.facts.retire(fact.id, "superseded")
        assert ended.valid_to == ended.valid_from
        assert (memory.facts.count(state="upcoming"), memory.facts.count(state="retired")) == (0, 1)
        assert memory.facts.count(as_of="in 4 days") == 0


class UndoContract(Contract):
    @pytest.mark.parametrize("ending", list(Ending))
    def test_each_ending_can_be_undone(
        self, memory: Memory, clock: FakeClock, ending: Ending
    ) -> None:
        """The fact is as it was before, and both changes stay in its history."""
        fact = memory.remember("x", expires_at="in 9 days", entities=["Ana"])
        clock.advance(days=1)
        memory.facts.retire(fact.id, ending, ended="2026-03-02")
        clock.advance(days=1)
        back = memory.facts.undo(fact.id, reason="a slip")
        ends = (back.valid_to, back.retired_at, back.ending, back.superseded_by)
        assert ends == (None, None, None, None)
        assert (back.expires_at, back.evidence) == (fact.expires_at, 1)
        assert texts(memory.facts.list()) == ["x"]
        steps = [(step.action, step.reason) for step in memory.facts.history(fact.id)]
        assert steps == [("remember", None), ("retire", None), ("undo", "a slip")]

    def test_undoing_a_replacement_takes_the_successor_back(self, memory: Memory) -> None:
        """It never was true, so exactly the old fact is live."""
        old = memory.remember("x")
        new = memory.facts.replace(old.id, "y")
        memory.facts.undo(old.id)
        taken_back = memory.facts.get(new.id)
        assert texts(memory.facts.list()) == ["x"]
        assert (taken_back.ending, taken_back.valid_to) == ("wrong", new.valid_from)
        assert memory.audit.list(subject=new.id)[0].reason == f"undo of {old.short_id}"

    def test_undoing_the_key_s_last_value_brings_back_the_one_before(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """A key has one value before, between and after."""
        rome = memory.facts.set("city", "Rome")
        clock.advance(days=1)
        memory.facts.set("city", "Oslo")
        memory.facts.undo(rome.id)
        assert memory.facts.value("city") == "Rome"
        assert memory.facts.count(key="city") == 1

    def test_a_known_fact_that_took_its_place_stays(self, memory: Memory) -> None:
        """It was there before the replacement; only the link goes."""
        known, old = memory.remember("y"), memory.remember("x")
        memory.facts.replace(old.id, "y")
        memory.facts.undo(old.id)
        assert sorted(texts(memory.facts.list())) == ["x", "y"]
        assert memory.facts.get(known.id).supersedes == ()
        assert memory.audit.verify().ok

    def test_what_was_not_retired_cannot_be_undone(self, memory: Memory) -> None:
        """Undo does not guess what was meant."""
        fact = memory.remember("x")
        with unchanged(memory), pytest.raises(ConflictError, match="has not ended"):
            memory.facts.undo(fact.id)

    def test_undo_never_makes_a_twin(self, memory: Memory) -> None:
        """The same words were said again since: two live twins would follow."""
        fact = memory.remember("x")
        memory.facts.retire(fact.id, "wrong")
        memory.remember("X")
        with unchanged(memory), pytest.raises(ConflictError, match="in its place"):
            memory.facts.undo(fact.id)

    def test_undo_never_gives_a_key_two_values(self, memory: Memory) -> None:
        """Another value was set since."""
        rome = memory.facts.set("city", "Rome")
        memory.facts.retire(rome.id, "wrong")
        memory.facts.set("city", "Oslo")
        with unchanged(memory), pytest.raises(ConflictError, match="in its place"):
            memory.facts.undo(rome.id)

    def test_a_chain_is_undone_from_its_end(self, memory: Memory) -> None:
        """The middle cannot be pulled out; from the end, all of it can."""
        one = memory.remember("1")
        two = memory.facts.replace(one.id, "2")
        memory.facts.replace(two.id, "3")
        with unchanged(memory), pytest.raises(ConflictError, match="undo that first"):
            memory.facts.undo(one.id)
        memory.facts.undo(two.id)
        assert texts(memory.facts.list()) == ["2"]
        memory.facts.undo(one.id)
        assert texts(memory.facts.list()) == ["1"]

    def test_undo_and_retire_can_go_on(self, memory: Memory, clock: FakeClock) -> None:
        """Each time the ends are right, and every answer about the past stays."""
        fact = memory.remember("x")
        moments = []
        for _ in range(5):
            moments.append(clock.advance(days=1))
            memory.facts.retire(fact.id, "superseded")
            clock.advance(days=1)
            memory.facts.undo(fact.id)
        assert texts(memory.facts.list()) == ["x"]
        for moment in moments:
            just_before = moment - timedelta(microseconds=1)
            assert memory.facts.count(known_at=just_before) == 1
            assert memory.facts.count(known_at=moment) == 0

    @pytest.mark.parametrize("gone", ["delete", "erase"])
    def test_undo_works_when_the_successor_is_gone(self, memory: Memory, gone: str) -> None:
        """What replaced it was deleted or erased: nothing stands in the way."""
        old = memory.remember("x")
        new = memory.facts.replace(old.id, "y")
        getattr(memory.facts, gone)(new.id)
        memory.facts.undo(old.id)
        assert texts(memory.facts.list()) == ["x"]
        assert memory.audit.verify().ok

    def test_a_deleted_successor_comes_back_as_wrong(self, memory: Memory) -> None:
        old = memory.remember("x")
        new = memory.facts.replace(old.id, "y")
        memory.facts.delete(new.id)
        memory.facts.undo(old.id)
        memory.facts.restore(new.id)
        assert texts(memory.facts.list()) == ["x"]
        assert memory.facts.get(new.id).ending is Ending.WRONG

    def test_undo_of_nothing(self, memory: Memory) -> None:
        """A blank id picks no fact."""
        memory.facts.retire(memory.remember("x").id, "wrong")
        for blank in ("", "  "):
            with unchanged(memory), pytest.raises(InvalidInputError):
                memory.facts.undo(blank)
        with unchanged(memory), pytest.raises(NotFoundError):
            memory.facts.undo("00000000-0000-7000-8000-000000000000")
