"""Random histories of facts: the store and the pure model agree on the state of each fact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import erstwhile
from erstwhile import ErstwhileError, Fact, Memory
from erstwhile.testing.clock import FakeClock
from erstwhile.types import State

Step = Callable[[Memory, FakeClock], object]

DAYS = st.integers(-3, 3)
LATER = st.none() | st.integers(1, 4)
TEXTS = st.sampled_from(["Rome", "rome ", "Oslo", "Paris"])
ENDINGS = st.sampled_from(["superseded", "wrong", "expired"])
ORIGINS = st.sampled_from(["person", "learned", "web"])
ANY_FACT = st.integers(0, 5)


def _day(clock: FakeClock, offset: int | None) -> Any:
    return None if offset is None else clock.now() + timedelta(days=offset)


def _fact(memory: Memory, number: int) -> str:
    known = [*memory.facts.list(state="any"), *memory.facts.list(deleted=True)]
    return known[number % len(known)].id if known else "0"


def _said(key: str | None, text: str, since: int | None, until: int | None, origin: str) -> Step:
    def step(memory: Memory, clock: FakeClock) -> Fact:
        times = {"valid_from": _day(clock, since), "expires_at": _day(clock, until)}
        return memory.remember(text, key=key, origin=origin, **times)

    return step


def _replaced(number: int, text: str, since: int | None) -> Step:
    return lambda memory, clock: memory.facts.replace(
        _fact(memory, number), text, valid_from=_day(clock, since)
    )


def _retired(number: int, ending: str, ended: int | None) -> Step:
    return lambda memory, clock: memory.facts.retire(
        _fact(memory, number), ending, ended=_day(clock, ended)
    )


def _acted(verb: str, number: int) -> Step:
    return lambda memory, _: getattr(memory.facts, verb)(_fact(memory, number))


def _waited(hours: int) -> Step:
    return lambda _, clock: clock.advance(hours=hours)


STEPS: st.SearchStrategy[Step] = st.one_of(
    st.builds(_said, st.sampled_from([None, "city"]), TEXTS, st.none() | DAYS, LATER, ORIGINS),
    st.builds(_replaced, ANY_FACT, TEXTS, st.none() | DAYS),
    st.builds(_retired, ANY_FACT, ENDINGS, st.none() | DAYS),
    st.builds(_acted, st.sampled_from(["undo", "confirm", "delete", "restore", "erase"]), ANY_FACT),
    st.builds(_waited, st.integers(-12, 36)),
)


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(STEPS, min_size=3, max_size=15))
def test_the_store_lists_each_fact_in_the_state_that_the_model_says(steps: Sequence[Step]) -> None:
    """At every pair of valid time and recorded time. No interval is reversed."""
    clock = FakeClock()
    with erstwhile.open(":memory:", clock=clock) as memory:
        known = []
        for step in steps:
            with suppress(ErstwhileError):
                step(memory, clock)
            known += [entry.at for entry in memory.audit.list(limit=1)]
        for moment in [clock.now() + timedelta(hours=12 * number) for number in range(-9, 10)]:
            _check(memory, moment, {})
            # A clock that was set back far does not show what was recorded in its future.
            middle = known[len(known) // 2 : len(known) // 2 + 1]
            _check(memory, moment, {"known_at": min(*middle, clock.now())} if middle else {})
        assert memory.audit.verify().problems == ()


def _check(memory: Memory, moment: datetime, known: dict[str, Any]) -> None:
    asked: dict[str, Any] = {"as_of": moment, "limit": 100, **known}
    # Deleting hides from the past too, so a past state counts as present if it is listed so.
    there = [replace(fact, deleted_at=None) for fact in memory.facts.list(state="any", **asked)]
    assert all((fact.valid_to or fact.valid_from) >= fact.valid_from for fact in there)
    for state in (State.LIVE, State.QUARANTINED, State.UPCOMING, State.RETIRED):
        listed = [fact.id for fact in memory.facts.list(state=state, **asked)]
        assert listed == [fact.id for fact in there if fact.state_at(moment) is state]
    deleted = memory.facts.list(deleted=True, as_of=moment)
    assert all(fact.state_at(moment) is State.DELETED for fact in deleted)
