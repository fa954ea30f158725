"""Retiring a fact with its three endings, and undoing it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from erstwhile.core.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    RefusedError,
    TooLargeError,
)
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
        ended = memory.facts.retire(fact.id, ending, reason="ending")
        assert (ended.ending, ended.valid_to) == (Ending(ending), clock.now())
        assert ended.retired_at == ended.known_from == clock.now()
        assert memory.facts.count() == 0
        assert texts(memory.facts.list(as_of="2026-02-01")) == ["x"]

    def test_wrong_was_never_true(self, memory: Memory, fact: Fact) -> None:
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
        with unchanged(memory), pytest.raises(InvalidInputError, match="not true yet"):
            memory.facts.retire(fact.id, "superseded", ended="2020-01-01")
        ended = memory.facts.retire(fact.id, "superseded", ended=fact.valid_from)
        assert ended.valid_to == ended.valid_from

    def test_an_expired_fact_has_an_ending(self, memory: Memory, clock: FakeClock) -> None:
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
        fact = memory.remember("y", expires_at="1h")
        clock.advance(days=1)
        assert memory.facts.retire(fact.id, "superseded").valid_to == fact.expires_at

    @input_check
    @pytest.mark.parametrize("ended", ["tomorrow", "soon", "", "in 1 s"])
    def test_an_end_to_come_is_refused(self, memory: Memory, fact: Fact, ended: str) -> None:
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.facts.retire(fact.id, "superseded", ended=ended)

    @input_check
    @pytest.mark.parametrize("ending", ["", "boring", "Wrong", None, "deleted"])
    def test_there_are_three_endings(self, memory: Memory, fact: Fact, ending: Any) -> None:
        with unchanged(memory), pytest.raises(InvalidInputError, match="ending"):
            memory.facts.retire(fact.id, ending)

    def test_a_fact_ends_once(self, memory: Memory, fact: Fact) -> None:
        memory.facts.retire(fact.id, "superseded")
        with unchanged(memory), pytest.raises(ConflictError, match="already ended"):
            memory.facts.retire(fact.id, "wrong")

    def test_an_upcoming_fact_can_be_called_off(self, memory: Memory) -> None:
        fact = memory.remember("the fair is on", valid_from="in 3 days")
        ended = memory.facts.retire(fact.id, "superseded")
        assert ended.valid_to == ended.valid_from
        assert (memory.facts.count(state="upcoming"), memory.facts.count(state="retired")) == (0, 1)
        assert memory.facts.count(as_of="in 4 days") == 0


class UndoContract(Contract):
    @pytest.mark.parametrize("ending", list(Ending))
    def test_each_ending_is_undone(self, memory: Memory, clock: FakeClock, ending: Ending) -> None:
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

    def test_undo_brings_back_the_value_before(self, memory: Memory, clock: FakeClock) -> None:
        rome = memory.facts.set("city", "Rome")
        clock.advance(days=1)
        memory.facts.set("city", "Oslo")
        memory.facts.undo(rome.id)
        assert memory.facts.value("city") == "Rome"
        assert memory.facts.count(key="city") == 1

    def test_a_known_fact_that_took_its_place_stays(self, memory: Memory) -> None:
        known, old = memory.remember("y"), memory.remember("x")
        memory.facts.replace(old.id, "y")
        memory.facts.undo(old.id)
        assert sorted(texts(memory.facts.list())) == ["x", "y"]
        assert memory.facts.get(known.id).supersedes == ()
        assert memory.audit.verify().ok

    def test_undo_is_refused(self, memory: Memory) -> None:
        fact = memory.remember("x")
        with unchanged(memory), pytest.raises(ConflictError, match="has not ended"):
            memory.facts.undo(fact.id)
        fact = memory.remember("x")
        memory.facts.retire(fact.id, "wrong")
        memory.remember("X")
        with unchanged(memory), pytest.raises(ConflictError, match="in its place"):
            memory.facts.undo(fact.id)
        rome = memory.facts.set("city", "Rome")
        memory.facts.retire(rome.id, "wrong")
        memory.facts.set("city", "Oslo")
        with unchanged(memory), pytest.raises(ConflictError, match="in its place"):
            memory.facts.undo(rome.id)
        memory.facts.retire(memory.remember("x").id, "wrong")
        for blank in ("", "  "):
            with unchanged(memory), pytest.raises(InvalidInputError):
                memory.facts.undo(blank)
        with unchanged(memory), pytest.raises(NotFoundError):
            memory.facts.undo("00000000-0000-7000-8000-000000000000")

    def test_a_chain_is_undone_from_its_end(self, memory: Memory) -> None:
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


class ReplacingContract(Contract):
    def test_new_fact_takes_place_of_old(self, memory: Memory, clock: FakeClock) -> None:
        old = memory.remember("npm is used")
        clock.advance(days=1)
        new = memory.facts.replace(old.id, "pnpm is used", reason="Ana said so")
        ended = memory.facts.get(old.id)
        assert texts(memory.facts.list()) == ["pnpm is used"]
        assert (ended.ending, ended.superseded_by) == (Ending.SUPERSEDED, new.id)
        assert new.supersedes == (old.id,)
        assert ended.valid_to == ended.retired_at == new.valid_from == new.recorded_at
        assert texts(memory.facts.list(as_of=old.valid_from)) == ["npm is used"]
        assert texts(memory.facts.list(state="retired")) == ["npm is used"]

    def test_a_replacement_keeps_what_it_does_not_change(self, memory: Memory) -> None:
        old = memory.remember(
            "Ana uses npm in the web shop", kind="preference", key="tool", tags=["js"],
            metadata={"a": 1}, expires_at="in 9 days", pinned=True, confidence=0.5,
            entities=["ANA", "npm", "the Web Shop"], relations=[("Ana", "uses", "npm")],
        )  # fmt: skip
        new = memory.facts.replace(old.id, "ana uses pnpm in the  web shop")
        kept = ("kind", "key", "tags", "metadata", "expires_at", "pinned")
        assert [getattr(new, name) for name in kept] == [getattr(old, name) for name in kept]
        assert new.entities == ("ANA", "npm", "the Web Shop")
        assert (new.relations, new.evidence, new.confidence) == ((), 1, 1.0)

    def test_details_override_what_would_be_kept(self, memory: Memory) -> None:
        old = memory.remember("x", tags=["a"], pinned=True, expires_at="1h")
        new = memory.facts.replace(
            old.id, "y", kind="event", tags=[], metadata={"b": 1}, expires_at=None, pinned=False
        )
        assert (new.kind, new.tags, new.metadata, new.pinned) == ("event", (), {"b": 1}, False)
        assert new.expires_at is None

    def test_replacing_by_the_same_words(self, memory: Memory) -> None:
        old = memory.remember("Tea is served")
        with unchanged(memory):
            assert memory.facts.replace(old.id, "tea  IS served") == old
        old = memory.remember("Tea is served")
        new = memory.facts.replace(old.id, "Tea is served", expires_at="1h", tags=["break"])
        assert (new.id != old.id, new.tags) == (True, ("break",))
        assert new.expires_at is not None
        assert texts(memory.facts.list()) == ["Tea is served"]

    def test_replacing_by_a_known_fact_points_at_it(self, memory: Memory, clock: FakeClock) -> None:
        known, old = memory.remember("pnpm is used"), memory.remember("npm is used")
        clock.advance(days=1)
        new = memory.facts.replace(old.id, "PNPM is used")
        assert (new.id, new.evidence, new.supersedes) == (known.id, 2, (old.id,))
        assert memory.facts.get(old.id).superseded_by == known.id
        assert memory.facts.get(known.id) == new
        assert texts(memory.facts.list()) == ["pnpm is used"]

    def test_a_back_dated_replacement_ends_the_old_where_it_begins(self, memory: Memory) -> None:
        old = memory.remember("v1 runs", valid_from="2026-01-01")
        new = memory.facts.replace(old.id, "v2 runs", valid_from="2026-02-01")
        assert memory.facts.get(old.id).valid_to == new.valid_from
        assert texts(memory.facts.list(as_of="2026-01-31")) == ["v1 runs"]
        assert texts(memory.facts.list(as_of="2026-02-01")) == ["v2 runs"]

    def test_no_interval_is_ever_reversed(self, memory: Memory) -> None:
        old = memory.remember("v1 runs", valid_from="2026-02-01")
        new = memory.facts.replace(old.id, "v2 runs", valid_from="2026-01-01")
        ended = memory.facts.get(old.id)
        assert ended.valid_to == ended.valid_from
        for asked in ("2026-01-15", "2026-02-01", "2026-02-15"):
            assert texts(memory.facts.list(as_of=asked)) == ["v2 runs"]
        assert new.valid_from < ended.valid_from

    def test_a_chain_of_replacements_can_be_long(self, memory: Memory, clock: FakeClock) -> None:
        chain = [memory.remember("0")]
        for number in range(1, 20):
            clock.advance(minutes=1)
            chain.append(memory.facts.replace(chain[-1].id, str(number)))
        stored = [memory.facts.get(fact.id) for fact in chain]
        ids = [fact.id for fact in chain]
        assert [fact.superseded_by for fact in stored] == [*ids[1:], None]
        assert [fact.supersedes for fact in stored] == [(), *((id,) for id in ids[:-1])]
        assert texts(memory.facts.list()) == ["19"]


class RefusedReplacementContract(Contract):
    @pytest.mark.parametrize(
        ("new_text", "details", "error"),
        [
            ("x" * 100_001, {}, TooLargeError),
            ("", {}, InvalidInputError),
            (" \n", {}, InvalidInputError),
            ("a\0b", {}, InvalidInputError),
            ("a\ud800", {}, InvalidInputError),
            (None, {}, InvalidInputError),
            ("y", {"origin": "web"}, RefusedError),
            ("y", {"origin": "tool"}, RefusedError),
            ("y", {"origin": "document"}, RefusedError),
            ("known already", {"origin": "web"}, RefusedError),
            ("y", {"valid_from": "tomorrow"}, InvalidInputError),
            ("y", {"valid_from": "in 1 s"}, InvalidInputError),
            ("known already", {"valid_from": "tomorrow"}, InvalidInputError),
            ("y", {"kind": "rumour"}, InvalidInputError),
            ("y", {"expires_at": "soon"}, InvalidInputError),
            ("y", {"expires_at": "yesterday"}, InvalidInputError),
            ("y", {"tags": ["t"] * 51}, TooLargeError),
            ("y", {"reason": "r" * 2_001}, TooLargeError),
            ("y", {"reason": " "}, InvalidInputError),
            ("not yet", {}, ConflictError),
        ],
        ids=lambda case: str(case)[:30],
    )
    def test_a_refused_replacement_leaves_the_old_live(
        self, memory: Memory, new_text: Any, details: dict[str, Any], error: type[Exception]
    ) -> None:
        memory.remember("known already")
        memory.remember("not yet", valid_from="in 3 days")
        old = memory.remember("x", entities=["Ana"])
        with unchanged(memory), pytest.raises(error):
            memory.facts.replace(old.id, new_text, **details)
        assert memory.facts.get(old.id).retired_at is None

    def test_what_ended_cannot_be_replaced(self, memory: Memory) -> None:
        old = memory.remember("x")
        memory.facts.replace(old.id, "y")
        with unchanged(memory), pytest.raises(ConflictError, match="already ended"):
            memory.facts.replace(old.id, "z")
