"""Expiry: parsed when a fact is stored, and effective when the clock passes it."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest

from erstwhile.core.errors import ConflictError, InvalidInputError, NotFoundError, RefusedError
from erstwhile.core.kinds import Ending
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, texts, unchanged

TOKYO = timezone(timedelta(hours=9))


class ExpiryContract(Contract):
    @pytest.mark.parametrize(
        ("said", "meant"),
        [
            ("in 3 days", "2026-03-04T12:00:00+00:00"),
            ("3 days", "2026-03-04T12:00:00+00:00"),
            ("36h", "2026-03-03T00:00:00+00:00"),
            ("IN 2 Weeks", "2026-03-15T12:00:00+00:00"),
            ("in 1 month", "2026-04-01T12:00:00+00:00"),
            ("tomorrow", "2026-03-02T00:00:00+00:00"),
            (timedelta(minutes=90), "2026-03-01T13:30:00+00:00"),
            ("2026-12-01", "2026-12-01T00:00:00+00:00"),
            (date(2026, 12, 1), "2026-12-01T00:00:00+00:00"),
            ("2026-12-01T09:30", "2026-12-01T09:30:00+00:00"),
            ("2026-12-01T09:30:00Z", "2026-12-01T09:30:00+00:00"),
            ("2026-12-01T09:30:00+02:00", "2026-12-01T07:30:00+00:00"),
            ("2026-12-01T09:30:00.123456-05:30", "2026-12-01T15:00:00.123456+00:00"),
            (datetime(2026, 12, 1, tzinfo=TOKYO), "2026-11-30T15:00:00+00:00"),
        ],
        ids=str,
    )  # fmt: skip
    def test_expiry_is_parsed(self, memory: Memory, said: Any, meant: str) -> None:
        fact = memory.remember("x", expires_at=said)
        assert memory.facts.get(fact.id).expires_at == datetime.fromisoformat(meant)

    @input_check
    @pytest.mark.parametrize(
        "said",
        [
            "next week", "", "soon", "2026-13-40", "2026-02-30", "in three days", "3 parsecs",
            "500ms", "in 3 days ago", "3 days ago", "in 0 days", "now", "yesterday", "today",
            "2026-02-28", "in 999999 years", datetime(2026, 2, 1), 1_800_000_000, timedelta(0),  # noqa: DTZ001
            timedelta(days=-1), timedelta.max, b"2026-12-01", ["in 3 days"],
        ],
        ids=str,
    )  # fmt: skip
    def test_what_is_no_time_to_come_is_refused(self, memory: Memory, said: Any) -> None:
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.remember("x", expires_at=said)

    def test_a_state_without_an_end_lasts(self, memory: Memory, clock: FakeClock) -> None:
        """It ends when somebody says so, or by something newer."""
        red = memory.remember("the build is red", kind="state")
        build = memory.facts.set("build", "red", kind="state")
        assert (red.expires_at, build.expires_at) == (None, None)
        clock.advance(days=365)
        assert memory.facts.count(kind="state") == 2
        memory.facts.set("build", "green", kind="state")
        assert memory.facts.get(build.id).ending is Ending.SUPERSEDED

    def test_a_state_that_is_replaced_keeps_its_expiry(self, memory: Memory) -> None:
        red = memory.remember("the build is red", kind="state", expires_at="3h")
        blue = memory.facts.replace(red.id, "the build is blue")
        assert blue.expires_at is not None
        assert blue.expires_at == red.expires_at
        green = memory.facts.replace(blue.id, "the build is green", expires_at="9h")
        assert (green.expires_at or red.recorded_at) > blue.expires_at

    def test_it_must_expire_after_it_begins(self, memory: Memory) -> None:
        with unchanged(memory), pytest.raises(InvalidInputError, match="before it is true"):
            memory.remember("x", valid_from="2026-05-01", expires_at="2026-05-01")
        fact = memory.remember("x", valid_from="2020-01-01", expires_at="2021-01-01")
        assert texts(memory.facts.list(as_of="2020-06-01")) == ["x"]
        assert memory.facts.count() == 0
        assert memory.facts.get(fact.id).retired_at is None


class ExpiredContract(Contract):
    @pytest.mark.parametrize("kind", ["state", "fact", "preference", "event"])
    def test_it_is_gone_at_that_moment(self, memory: Memory, clock: FakeClock, kind: str) -> None:
        memory.facts.set("lunch", "soup", kind=kind, expires_at="1h", entities=["Ana"], tags=["t"])
        clock.advance(hours=1, microseconds=-1)
        assert texts(memory.facts.list()) == ["soup"]
        assert (memory.facts.value("lunch"), len(memory.entities.list())) == ("soup", 1)
        clock.advance(microseconds=1)
        assert texts(memory.facts.list()) == texts(memory.facts.list(tag="t")) == []
        assert (memory.facts.count(), memory.facts.value("lunch")) == (0, None)
        assert len(memory.entities.list()) == 0
        with pytest.raises(NotFoundError):
            memory.entities.get("Ana")
        assert (memory.stats().live, memory.stats().retired) == (0, 1)
        assert texts(memory.facts.list(state="retired")) == ["soup"]

    def test_the_past_still_knows_it(self, memory: Memory, clock: FakeClock) -> None:
        said = memory.remember("x", expires_at="1h")
        clock.advance(hours=5)
        assert texts(memory.facts.list(as_of=said.recorded_at)) == ["x"]
        assert texts(memory.facts.list(known_at=said.recorded_at)) == ["x"]
        assert memory.facts.get(said.id).text == "x"

    def test_what_is_known_now_says_when_it_will_end(self, memory: Memory) -> None:
        memory.remember("x", expires_at="in 3 days")
        assert texts(memory.facts.list(as_of="in 2 days")) == ["x"]
        assert texts(memory.facts.list(as_of="in 3 days")) == []

    def test_an_expired_value_makes_room(self, memory: Memory, clock: FakeClock) -> None:
        old = memory.facts.set("lunch", "soup", expires_at="1h")
        clock.advance(hours=2)
        new = memory.facts.set("lunch", "rice")
        ended = memory.facts.get(old.id)
        assert (ended.ending, ended.valid_to) == ("expired", old.expires_at)
        assert (ended.superseded_by, memory.facts.value("lunch")) == (new.id, "rice")

    def test_an_expired_fact_can_be_replaced(self, memory: Memory, clock: FakeClock) -> None:
        """Its expiry is not handed on, so the replacement is live."""
        old = memory.remember("x", expires_at="1h")
        clock.advance(hours=2)
        new = memory.facts.replace(old.id, "y")
        assert (new.expires_at, texts(memory.facts.list())) == (None, ["y"])
        assert memory.facts.get(old.id).ending == "expired"

    def test_an_expired_fact_is_replaced_by_its_text(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        old = memory.remember("x", kind="state", expires_at="1h")
        clock.advance(hours=2)
        new = memory.facts.replace(old.id, "x", expires_at="1h")
        assert (new.id != old.id, texts(memory.facts.list())) == (True, ["x"])
        plain = memory.remember("y", expires_at="1h")
        clock.advance(hours=2)
        assert memory.facts.replace(plain.id, "y").expires_at is None
        assert texts(memory.facts.list()) == ["y"]

    @pytest.mark.parametrize("closed", [False, True])
    def test_an_expired_fact_is_undone(
        self, memory: Memory, clock: FakeClock, closed: bool
    ) -> None:
        fact = memory.remember("x", key="k", expires_at="1h")
        clock.advance(hours=2)
        gap = clock.now()
        if closed:
            memory.facts.delete(memory.remember("x", key="k").id)  # it needed the place
            assert memory.facts.get(fact.id).retired_at is not None
        clock.advance(hours=1)
        before = clock.now()
        clock.advance(hours=1)
        back = memory.facts.undo(fact.id, reason="it goes on")
        assert (back.id, back.ends_at, back.ending, back.retired_at) == (fact.id, *(None,) * 3)
        assert texts(memory.facts.list()) == ["x"]
        assert memory.facts.value("k") == "x"
        assert [hit.fact.id for hit in memory.recall("x", floor=0.0)] == [fact.id]
        assert texts(memory.facts.list(as_of=gap)) == ["x"]
        assert memory.facts.count(as_of=gap, known_at=before) == 0
        clock.advance(days=365)
        assert memory.facts.count() == 1
        assert memory.facts.history(fact.id)[-1].action == "undo"
        assert memory.audit.verify().ok

    def test_undoing_a_retirement_removes_the_expiry(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        fact = memory.remember("x", expires_at="1h")
        memory.facts.retire(fact.id, "wrong")
        clock.advance(hours=2)
        assert memory.facts.undo(fact.id).expires_at is None
        assert texts(memory.facts.list()) == ["x"]

    def test_an_expired_fact_is_not_undone_beside_a_new(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        fact = memory.remember("x", expires_at="1h")
        clock.advance(hours=2)
        again = memory.remember("x")
        with unchanged(memory), pytest.raises(ConflictError, match=again.short_id):
            memory.facts.undo(fact.id)

    def test_an_agent_brings_no_expired_fact_back(self, memory: Memory, clock: FakeClock) -> None:
        agent = memory.acting_as("bot", person=False)
        fact = memory.remember("the shop is closed", expires_at="1h")
        clock.advance(hours=2)
        with unchanged(memory), pytest.raises(RefusedError):
            agent.facts.undo(fact.id)
        agent.facts.delete(agent.remember("the shop is closed").id)
        with unchanged(memory), pytest.raises(RefusedError):
            agent.facts.undo(fact.id)

    def test_a_fact_comes_back_beside_an_expired_one(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        wrong, deleted = memory.remember("x"), memory.remember("y")
        memory.facts.retire(wrong.id, "wrong")
        memory.facts.delete(deleted.id)
        memory.remember("x", expires_at="1h")
        memory.remember("y", expires_at="1h")
        clock.advance(hours=2)
        memory.facts.undo(wrong.id)
        memory.facts.restore(deleted.id)
        assert sorted(texts(memory.facts.list())) == ["x", "y"]
        assert memory.audit.verify().problems == ()

    @pytest.mark.parametrize("way", ["undo", "restore"])
    def test_an_expired_value_keeps_another_of_its_key_from_coming_back(
        self, memory: Memory, clock: FakeClock, way: str
    ) -> None:
        fact = memory.facts.set("k", "x")
        memory.facts.retire(fact.id, "wrong") if way == "undo" else memory.facts.delete(fact.id)
        rival = memory.facts.set("k", "z", expires_at="1h")
        clock.advance(hours=2)
        come_back = getattr(memory.facts, way)
        with unchanged(memory), pytest.raises(ConflictError, match="at the same time"):
            come_back(fact.id)
        memory.facts.delete(rival.id)
        assert come_back(fact.id).text == memory.facts.value("k") == "x"
        assert memory.audit.verify().problems == ()
