"""The life cycle of a fact, as pure functions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile import Fact, InvalidInputError, Scope, TooLargeError, draft
from erstwhile.facts.draft import Draft
from erstwhile.facts.lifecycle import clipped, repeated, retired, revived
from erstwhile.types import Ending, Origin, Tier, Trust

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
LATER = NOW + HOUR
HOURS = st.integers(-5, 5).map(lambda hours: NOW + hours * HOUR)


def say(text: str = "x", **details: Any) -> Draft:
    return draft(text, now=NOW, **details)


def fact(text: str = "x", **details: Any) -> Fact:
    return say(text, **details).to_fact(Scope(), NOW)


@given(st.sampled_from(Origin), st.sampled_from(Origin), st.floats(0, 1), st.floats(0, 1))
def test_a_repeat_gains_and_loses_nothing(
    first: Origin, second: Origin, before: float, again: float
) -> None:
    held = fact(origin=first, confidence=before)
    after = repeated(held, say(origin=second, confidence=again), LATER)
    assert (after.evidence, after.confidence) >= (held.evidence, held.confidence)
    assert list(Tier).index(after.tier) >= list(Tier).index(held.tier)
    assert after.confidence <= after.tier.cap
    assert after.trust is Trust.TRUSTED or held.trust is Trust.QUARANTINED
    assert (after.id, after.text, after.origin) == (held.id, held.text, held.origin)


@pytest.mark.parametrize(
    ("first", "again", "tier"),
    [
        ({"origin": "learned"}, {"origin": "learned"}, Tier.INFERRED),
        ({"origin": "learned", "source": "c1"}, {"origin": "learned", "source": "c2"}, "confirmed"),
        ({"origin": "learned"}, {"origin": "agent"}, Tier.CONFIRMED),
        ({"origin": "learned"}, {"origin": "person"}, Tier.STATED),
        ({"origin": "person"}, {"origin": "learned"}, Tier.STATED),
        ({"origin": "web"}, {"origin": "web", "source": "c2"}, Tier.INFERRED),
        ({"origin": "web"}, {"origin": "learned"}, Tier.CONFIRMED),
    ],
)
def test_who_repeats_it_decides_on_the_tier(
    first: dict[str, Any], again: dict[str, Any], tier: Tier
) -> None:
    assert repeated(fact(**first), say(**again), LATER).tier == tier


def test_a_repeat_that_is_too_much_is_refused() -> None:
    entities = [f"e{number}" for number in range(50)]
    held = fact(entities=entities)
    for number in range(1, 3):
        more = [f"more {number} {name}" for name in entities]
        held = repeated(held, say(entities=more), LATER)
    with pytest.raises(TooLargeError, match="entities"):
        repeated(held, say(entities=["one more"]), LATER)


@pytest.mark.parametrize(
    ("again", "until"),
    [(None, 2), ("1h", 1), ("5h", 5)],
)
def test_the_last_word_on_the_expiry_counts(again: str | None, until: int) -> None:
    after = repeated(fact(expires_at="2h"), say(expires_at=again), NOW)
    assert after.expires_at == NOW + until * HOUR


@given(HOURS, st.none() | st.integers(1, 5), st.sampled_from(Ending), st.none() | HOURS)
def test_an_ending_never_leaves_a_reversed_interval(
    since: datetime, lasts: int | None, ending: Ending, ended: datetime | None
) -> None:
    until = None if lasts is None else since + lasts * HOUR
    held = fact(valid_from=since, expires_at=until)
    if ended is not None and ended > NOW:
        with pytest.raises(InvalidInputError, match="future"):
            retired(held, ending, at=NOW, ended=ended)
        return
    over = retired(held, ending, at=NOW, ended=ended)
    assert over.valid_to is not None
    assert over.valid_from <= over.valid_to <= max(NOW, over.valid_from)
    assert until is None or over.valid_to <= until
    assert (over.retired_at, over.known_from, over.ending) == (NOW, NOW, ending)
    if ending is Ending.WRONG:
        assert over.valid_to == over.valid_from


@given(st.sampled_from(Ending), st.none() | st.integers(1, 5))
def test_reviving_undoes_retiring(ending: Ending, lasts: int | None) -> None:
    held = fact(expires_at=None if lasts is None else f"{lasts}h")
    over = retired(held, ending, at=LATER, successor="other")
    back = revived(over, held, LATER + HOUR)
    passed = held.expires_at is not None and held.expires_at <= LATER + HOUR
    expiry = None if passed else held.expires_at
    assert back == replace(held, known_from=LATER + HOUR, expires_at=expiry)


@given(HOURS, HOURS)
def test_a_value_is_cut_where_the_next_begins(since: datetime, start: datetime) -> None:
    value = fact(valid_from=since)
    successor = replace(fact("y"), valid_from=min(start, NOW))
    cut = clipped(value, successor, NOW)
    assert cut.valid_to == max(since, successor.valid_from)
    assert (cut.ending, cut.superseded_by) == (Ending.SUPERSEDED, successor.id)
    again = clipped(cut, replace(successor, id="z", valid_from=since - HOUR), LATER)
    assert (again.valid_to, again.superseded_by) == (since, successor.id)
    assert again.retired_at == cut.retired_at
