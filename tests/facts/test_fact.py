"""The state of a fact."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile import Fact, Scope, draft
from erstwhile.core.time import FOREVER
from erstwhile.types import State, Trust

NOW = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)
BASE = draft("x", now=NOW).to_fact(Scope(), NOW)
TIMES = st.integers(-3, 3).map(lambda days: NOW + days * DAY)
ENDS = st.none() | TIMES
FACTS = st.builds(
    lambda valid_from, valid_to, expires_at, trust: replace(
        BASE, valid_from=valid_from, valid_to=valid_to, expires_at=expires_at, trust=trust
    ),
    TIMES, ENDS, ENDS, st.sampled_from(Trust),
)  # fmt: skip


@given(FACTS, TIMES)
def test_a_fact_holds_from_its_beginning_until_its_first_end(fact: Fact, at: datetime) -> None:
    end = min(fact.valid_to or FOREVER, fact.expires_at or FOREVER)
    holds = fact.valid_from <= at < end
    assert (fact.state_at(at) in (State.LIVE, State.QUARANTINED)) is holds


@given(FACTS)
def test_a_fact_is_upcoming_then_holds_then_is_over(fact: Fact) -> None:
    moments = [NOW + number * DAY for number in range(-5, 6)]
    order = [State.UPCOMING, State.LIVE, State.QUARANTINED, State.RETIRED]
    seen = [order.index(fact.state_at(at)) for at in moments]
    assert seen == sorted(seen)


@given(FACTS, TIMES)
def test_a_deleted_fact_is_deleted_at_any_time(fact: Fact, at: datetime) -> None:
    assert replace(fact, deleted_at=NOW).state_at(at) is State.DELETED


@given(FACTS, TIMES)
def test_only_trust_tells_live_from_quarantined(fact: Fact, at: datetime) -> None:
    trusted = replace(fact, trust=Trust.TRUSTED).state_at(at)
    held = replace(fact, trust=Trust.QUARANTINED).state_at(at)
    assert (trusted is State.LIVE) is (held is State.QUARANTINED)
    assert trusted is held or trusted is State.LIVE


@given(FACTS)
def test_ends_at_is_the_first_of_its_ends(fact: Fact) -> None:
    ends = [end for end in (fact.valid_to, fact.expires_at) if end is not None]
    assert fact.ends_at == (min(ends) if ends else None)


def test_a_fact_is_a_value() -> None:
    assert replace(BASE) == BASE
    assert len({BASE, replace(BASE)}) == 1
    assert BASE.id.startswith(BASE.short_id)
    with pytest.raises(AttributeError):
        BASE.text = "y"  # type: ignore[misc]
