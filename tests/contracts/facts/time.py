"""Valid time and recorded time, and clocks that go wrong."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, texts, unchanged


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
        """What was recorded later, or learned to be wrong later, does not show."""
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

    def test_known_at_alone_looks_at_the_world_of_that_moment(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """What was live then is live in the answer, though it ended since."""
        fact = memory.remember("x", expires_at="1h")
        clock.advance(days=1)
        assert texts(memory.facts.list(known_at=fact.recorded_at)) == ["x"]

    def test_an_answer_about_the_past_stays(self, memory: Memory, clock: FakeClock) -> None:
        """Replacing, ending, undoing, confirming, repeating later changes nothing of it."""
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
        """Only if it was known, or held, then."""
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
        """The steps that were taken by then, and those whose fact held then."""
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
        """The future of the world may be asked about, the future of knowledge may not."""
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
        """Whether it is a text or a datetime."""
        for said in (datetime(2026, 2, 1, 9), "2026-02-01T09:00", "2026-02-01 09:00"):  # noqa: DTZ001
            fact = memory.remember(f"x {said!r}", valid_from=said)
            assert fact.valid_from == datetime(2026, 2, 1, 9, tzinfo=UTC)
            assert fact in memory.facts.list(as_of=said)


class ClockContract(Contract):
    def test_a_clock_that_stands_still_keeps_the_order(self, memory: Memory) -> None:
        """Facts of one instant are listed in the order they were said."""
        said = [memory.remember(f"fact {number}") for number in range(30)]
        assert list(memory.facts.list(limit=100)) == said[::-1]
        assert len({fact.recorded_at for fact in said}) == len(said)
        assert [fact.id for fact in said] == sorted(fact.id for fact in said)

    def test_a_clock_that_goes_back_keeps_the_order(self, memory: Memory, clock: FakeClock) -> None:
        """Recorded time never runs backwards, and what was just said is live."""
        said = []
        for number in range(10):
            said.append(memory.remember(f"fact {number}"))
            clock.advance(minutes=-5)
        assert list(memory.facts.list()) == said[::-1]
        assert memory.facts.count() == 10

    def test_answers_about_the_past_survive_a_clock_that_goes_back(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """A change made "before" the last one is still known after it."""
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

    def test_history_keeps_its_order_whatever_the_clock_says(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """Each step follows the one that it was made on."""
        fact = memory.remember("x")
        for act in (memory.facts.pin, memory.facts.unpin, memory.facts.confirm):
            clock.advance(minutes=-15)
            act(fact.id)
        steps = memory.facts.history(fact.id)
        assert [step.action for step in steps] == ["remember", "pin", "unpin", "confirm"]
        assert [step.at for step in steps] == sorted({step.at for step in steps})
        assert memory.audit.verify().ok

    def test_an_expiry_that_is_over_for_the_store_is_refused(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """Better an error than a fact that was never live."""
        memory.remember("x")
        clock.advance(minutes=-50)
        with unchanged(memory), pytest.raises(InvalidInputError, match="expire"):
            memory.remember("y", expires_at="30 minutes")

    def test_microseconds_are_kept(self, memory: Memory, clock: FakeClock) -> None:
        """No time is rounded."""
        clock.set(datetime.fromisoformat("2026-03-01T10:00:00.123457Z"))
        fact = memory.remember("x", valid_from="2026-02-01T00:00:00.000001Z")
        stored = memory.facts.get(fact.id)
        assert (stored.recorded_at.microsecond, stored.valid_from.microsecond) == (123457, 1)

    @pytest.mark.parametrize("far", ["0001-01-01", "9999-12-30"])
    def test_far_times_are_kept(self, memory: Memory, far: str) -> None:
        fact = memory.remember("x", valid_from=far)
        assert memory.facts.get(fact.id).valid_from.isoformat() == f"{far}T00:00:00+00:00"
        assert texts(memory.facts.list(as_of="9999-12-31")) == ["x"]
