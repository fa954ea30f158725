"""History: the whole chain in both directions, with actors and reasons."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from erstwhile.bootstrap import assemble
from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.ports import Engine
from erstwhile.core.scope import Scope, Viewer
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, texts, unchanged


class HistoryContract(Contract):
    def test_each_step_has_the_fact_after_it(self, memory: Memory, clock: FakeClock) -> None:
        fact = memory.remember("x", origin="learned")
        for act in (memory.facts.confirm, memory.facts.pin, memory.facts.unpin):
            clock.advance(hours=1)
            act(fact.id, reason=f"reason {clock.now():%H}")
        steps = memory.facts.history(fact.id)
        assert [(step.action, step.reason) for step in steps] == [
            ("remember", None), ("confirm", "reason 13"), ("pin", "reason 14"),
            ("unpin", "reason 15"),
        ]  # fmt: skip
        assert [step.fact.evidence for step in steps] == [1, 2, 2, 2]
        assert [step.fact.pinned for step in steps] == [False, False, True, False]
        assert [step.at for step in steps] == [step.fact.known_from for step in steps]
        assert steps[-1].fact == memory.facts.get(fact.id)

    def test_a_chain_is_told_from_any_of_its_links(self, memory: Memory) -> None:
        one = memory.remember("1")
        two = memory.facts.replace(one.id, "2", reason="it grew")
        three = memory.facts.replace(two.id, "3", reason="it grew more")
        told = memory.facts.history(two.id)
        assert [(step.fact.text, step.action, step.reason) for step in told] == [
            ("1", "remember", None), ("1", "supersede", "it grew"), ("2", "replace", "it grew"),
            ("2", "supersede", "it grew more"), ("3", "replace", "it grew more"),
        ]  # fmt: skip
        assert memory.facts.history(one.id) == told == memory.facts.history(three.id)

    def test_what_is_known_now_is_what_is_told(self, memory: Memory, clock: FakeClock) -> None:
        old = memory.remember("old")
        new = memory.facts.replace(old.id, "new")
        linked = memory.facts.history(old.id)
        memory.facts.undo(old.id)
        clock.advance(hours=1)
        for id in (old.id, new.id):
            told = memory.facts.history(id)
            assert {step.fact.id for step in told} == {id}
            assert memory.facts.history(id, known_at="now") == told
            assert memory.facts.history(id, known_at=new.recorded_at) == linked

    def test_a_history_has_the_chain_and_no_other_facts(self, memory: Memory) -> None:
        known, one, two = memory.remember_many(["known", "1", "2"])
        memory.facts.replace(one.id, "known")
        memory.facts.replace(two.id, "known")
        assert {step.fact.text for step in memory.facts.history(known.id)} == {"known", "1", "2"}
        one, two = memory.remember("x"), memory.remember("x", kind="event")
        memory.facts.confirm(two.id)
        assert {step.fact.id for step in memory.facts.history(one.id)} == {one.id}
        with pytest.raises(NotFoundError):
            memory.facts.history("0198c0de-0000-7000-8000-000000000000")

    def test_the_actor_is_named(self, memory: Memory, engine: Engine, clock: FakeClock) -> None:
        ana = memory.scoped(user="ana")
        fact = ana.remember("x")
        named = assemble(engine, clock, Viewer(scope=Scope(user="ana"), name="a script"))
        named.facts.pin(fact.id)
        memory.everything().facts.unpin(fact.id)
        actors = [step.actor for step in ana.facts.history(fact.id)]
        assert actors == ["user:ana", "a script", "administrator"]
        agent = memory.scoped(user="ana", agent="coder").remember("y")
        assert memory.everything().facts.history(agent.id)[0].actor == "agent:coder"
        assert memory.facts.history(memory.remember("z").id)[0].actor == "anyone"

    def test_a_repeat_and_an_expiry_are_steps_too(self, memory: Memory, clock: FakeClock) -> None:
        fact = memory.remember("x", expires_at="1h")
        memory.remember("X")
        clock.advance(hours=2)
        memory.remember("x")
        assert [step.action for step in memory.facts.history(fact.id)] == [
            "remember", "repeat", "expire",
        ]  # fmt: skip


class TimeContract(Contract):
    def test_as_of_asks_about_the_world_then(self, memory: Memory) -> None:
        memory.remember("Ana lived in Rome", valid_from="2020-01-01", expires_at="2023-01-01")
        memory.remember("Ana lives in Oslo", valid_from="2023-01-01")
        assert texts(memory.facts.list(as_of="2021-06-01")) == ["Ana lived in Rome"]
        assert texts(memory.facts.list(as_of="2022-12-31T23:59:59.999999Z")) == [
            "Ana lived in Rome"
        ]
        assert texts(memory.facts.list(as_of="2023-01-01")) == ["Ana lives in Oslo"]
        assert texts(memory.facts.list()) == ["Ana lives in Oslo"]
        assert memory.facts.count(as_of="2019-12-31") == 0

    def test_known_at_asks_what_we_knew_then(self, memory: Memory, clock: FakeClock) -> None:
        first = memory.remember("one")
        clock.advance(days=1)
        memory.facts.retire(first.id, "wrong")
        memory.remember("two", valid_from="2020-01-01")
        assert texts(memory.facts.list(known_at=first.recorded_at)) == ["one"]
        assert texts(memory.facts.list(known_at="now")) == ["two"]
        assert memory.facts.count(known_at=first.recorded_at - timedelta(microseconds=1)) == 0

    def test_what_did_we_believe_in_may_about_march(self, memory: Memory, clock: FakeClock) -> None:
        clock.set(datetime.fromisoformat("2026-04-01T00:00:00Z"))
        memory.facts.set("city", "Rome", valid_from="2026-01-01")
        clock.set(datetime.fromisoformat("2026-06-01T00:00:00Z"))
        memory.facts.set("city", "Oslo", valid_from="2026-02-15")
        asked = {"as_of": "2026-03-10", "known_at": "2026-05-01"}
        assert memory.facts.value("city", as_of="2026-03-10") == "Oslo"
        assert memory.facts.value("city", as_of="2026-03-10", known_at="2026-05-01") == "Rome"
        assert texts(memory.facts.list(**asked)) == ["Rome"]  # type: ignore[arg-type]
        assert memory.facts.value("city", as_of="2026-02-01") == "Rome"

    def test_known_at_alone_means_that_moment(self, memory: Memory, clock: FakeClock) -> None:
        """What was live then is live in the answer, though it ended since."""
        fact = memory.remember("x", expires_at="1h")
        clock.advance(days=1)
        assert texts(memory.facts.list(known_at=fact.recorded_at)) == ["x"]

    def test_an_answer_about_the_past_stays(self, memory: Memory, clock: FakeClock) -> None:
        kept = memory.remember("kept", entities=["Ana"], tags=["t"])
        fact = memory.facts.set("city", "Rome", entities=["Rome"])
        clock.advance(days=1)
        then = clock.advance(days=1)
        asked: dict[str, Any] = {"known_at": then}

        def answers() -> list[Any]:
            return [
                memory.facts.list(**asked), memory.facts.count(**asked),
                memory.facts.list(**asked, as_of=fact.valid_from, state="any"),
                memory.facts.value("city", **asked), memory.facts.get(fact.id, **asked),
                memory.facts.history(fact.id, **asked), memory.entities.list(**asked),
                memory.entities.get("Ana", **asked), memory.facts.list(tag="new", **asked),
                memory.facts.list(entity="Zoe", **asked),
            ]  # fmt: skip

        before = answers()
        clock.advance(days=1)
        oslo = memory.facts.set("city", "Oslo", valid_from="2026-01-01")
        memory.facts.undo(fact.id)
        memory.facts.replace(fact.id, "Paris", valid_from="2026-02-01")
        memory.remember("kept", tags=["new"], entities=["Zoe"], metadata={"a": 1})
        memory.facts.confirm(kept.id)
        memory.facts.pin(kept.id)
        memory.facts.retire(kept.id, "wrong")
        memory.facts.get(oslo.id)
        assert answers() == before

    def test_getting_a_fact_at_another_time(self, memory: Memory, clock: FakeClock) -> None:
        fact = memory.remember("x", valid_from="2020-01-01", expires_at="2021-01-01")
        assert memory.facts.get(fact.id, as_of="2020-06-01").text == "x"
        for asked in ("2019-06-01", "2021-01-01", "now"):
            with pytest.raises(NotFoundError, match="was not true"):
                memory.facts.get(fact.id, as_of=asked)
        clock.advance(days=1)
        memory.facts.confirm(fact.id)
        assert memory.facts.get(fact.id, known_at=fact.recorded_at).evidence == 1
        with pytest.raises(NotFoundError):
            memory.facts.get(fact.id, known_at=fact.recorded_at - timedelta(days=1))

    def test_history_at_another_time(self, memory: Memory, clock: FakeClock) -> None:
        rome = memory.facts.set("city", "Rome")
        clock.advance(days=1)
        oslo = memory.facts.set("city", "Oslo")
        known = memory.facts.history(oslo.id, known_at=oslo.recorded_at)
        assert [step.action for step in known] == ["remember", "supersede", "remember"]
        assert [step.action for step in memory.facts.history(rome.id, known_at=rome.recorded_at)] \
            == ["remember"]  # fmt: skip
        held = memory.facts.history(oslo.id, as_of=rome.valid_from)
        assert [(step.action, step.fact.text) for step in held] == [
            ("remember", "Rome"), ("supersede", "Rome"),
        ]  # fmt: skip

    def test_what_is_not_true_yet_is_upcoming(self, memory: Memory, clock: FakeClock) -> None:
        memory.remember("the fair is on", valid_from="in 3 days", entities=["the fair"])
        assert (memory.facts.count(), memory.facts.count(state="upcoming")) == (0, 1)
        assert (len(memory.entities.list()), memory.stats().upcoming) == (0, 1)
        clock.advance(days=3)
        assert (memory.facts.count(), memory.facts.count(state="upcoming")) == (1, 0)

    def test_nobody_knows_what_will_be_known(self, memory: Memory) -> None:
        memory.remember("x")
        assert memory.facts.count(as_of="in 3 years") == 1
        with pytest.raises(InvalidInputError, match="future"):
            memory.facts.list(known_at="in 1 s")

    @input_check
    @pytest.mark.parametrize("axis", ["as_of", "known_at", "since", "until"])
    def test_a_time_that_nobody_can_read_is_refused(self, memory: Memory, axis: str) -> None:
        for said in ("last week", "", "2026-13-40", "36h", 5, b"now"):
            asked: dict[str, Any] = {axis: said}
            with pytest.raises(InvalidInputError, match=axis):
                memory.facts.list(**asked)

    @input_check
    def test_a_time_without_a_zone_is_in_utc(self, memory: Memory) -> None:
        for said in (datetime(2026, 2, 1, 9), "2026-02-01T09:00", "2026-02-01 09:00"):  # noqa: DTZ001
            fact = memory.remember(f"x {said!r}", valid_from=said)
            assert fact.valid_from == datetime(2026, 2, 1, 9, tzinfo=UTC)
            assert fact in memory.facts.list(as_of=said)


class ClockContract(Contract):
    def test_a_clock_that_stands_still_keeps_the_order(self, memory: Memory) -> None:
        said = [memory.remember(f"fact {number}") for number in range(30)]
        assert list(memory.facts.list(limit=100)) == said[::-1]
        assert len({fact.recorded_at for fact in said}) == len(said)
        assert [fact.id for fact in said] == sorted(fact.id for fact in said)

    def test_a_clock_that_goes_back_keeps_the_order(self, memory: Memory, clock: FakeClock) -> None:
        said = []
        for number in range(10):
            said.append(memory.remember(f"fact {number}"))
            clock.advance(minutes=-5)
        assert list(memory.facts.list()) == said[::-1]
        assert memory.facts.count() == 10

    def test_the_past_stays_when_the_clock_goes_back(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        first = memory.remember("one")
        second = memory.remember("two")
        known = [memory.facts.list(known_at=each.recorded_at) for each in (first, second)]
        clock.advance(minutes=-50)
        third = memory.facts.replace(second.id, "three")
        memory.facts.retire(first.id, "wrong")
        again = [memory.facts.list(known_at=each.recorded_at) for each in (first, second)]
        assert again == known
        assert third.recorded_at > second.recorded_at
        assert texts(memory.facts.list()) == ["three"]

    def test_history_is_ordered_by_recording(self, memory: Memory, clock: FakeClock) -> None:
        fact = memory.remember("x")
        for act in (memory.facts.pin, memory.facts.unpin, memory.facts.confirm):
            clock.advance(minutes=-15)
            act(fact.id)
        steps = memory.facts.history(fact.id)
        assert [step.action for step in steps] == ["remember", "pin", "unpin", "confirm"]
        assert [step.at for step in steps] == sorted({step.at for step in steps})
        assert memory.audit.verify().ok

    def test_an_expiry_before_the_last_write_is_refused(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        memory.remember("x")
        clock.advance(minutes=-50)
        with unchanged(memory), pytest.raises(InvalidInputError, match="expire"):
            memory.remember("y", expires_at="30 minutes")

    def test_microseconds_are_kept(self, memory: Memory, clock: FakeClock) -> None:
        clock.set(datetime.fromisoformat("2026-03-01T10:00:00.123457Z"))
        fact = memory.remember("x", valid_from="2026-02-01T00:00:00.000001Z")
        stored = memory.facts.get(fact.id)
        assert (stored.recorded_at.microsecond, stored.valid_from.microsecond) == (123457, 1)

    @pytest.mark.parametrize("far", ["0001-01-01", "9999-12-30"])
    def test_far_times_are_kept(self, memory: Memory, far: str) -> None:
        fact = memory.remember("x", valid_from=far)
        assert memory.facts.get(fact.id).valid_from.isoformat() == f"{far}T00:00:00+00:00"
        assert texts(memory.facts.list(as_of="9999-12-31")) == ["x"]
