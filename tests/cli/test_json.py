"""Output in JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType

import pytest

import erstwhile
from erstwhile.cli.safe_text import json_line
from erstwhile.core.public_record import to_json
from erstwhile.testing.clock import FakeClock

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_times_are_utc_to_the_microsecond() -> None:
    assert to_json(NOON) == "2026-03-01T12:00:00.000000Z"
    east = NOON.astimezone(timezone(timedelta(hours=9)))
    assert to_json(east) == "2026-03-01T12:00:00.000000Z"
    assert datetime.fromisoformat(to_json(NOON)) == NOON


def test_every_record_of_a_memory_can_be_json_line() -> None:
    clock = FakeClock(NOON)
    with erstwhile.open(":memory:", clock=clock) as memory:
        fact = memory.remember("a", relations=[("x", "is", "y")], metadata={"n": [1, None]})
        records = {
            "fact": fact,
            "page": memory.facts.list(),
            "history": memory.facts.history(fact.id),
            "card": memory.entities.get("x"),
            "entries": memory.audit.list(),
            "verified": memory.audit.verify(),
            "stats": memory.stats(),
            "receipt": memory.facts.erase(fact.id),
        }
    read = json.loads(json_line(to_json(records, NOON)))
    assert read["fact"]["relations"] == [{"subject": "x", "predicate": "is", "object": "y"}]
    assert read["fact"]["metadata"] == {"n": [1, None]}
    assert read["page"] == {"items": [read["fact"]], "next": None}
    assert read["history"][0]["fact"] == read["fact"]
    assert read["card"]["facts"] == [read["fact"]]
    assert read["entries"]["items"][0]["action"] == "remember"
    assert read["verified"]["ok"] is True
    assert read["stats"]["kinds"] == {"fact": 1}
    assert read["receipt"]["facts"] == 1


def test_a_fact_begins_with_its_ids_and_its_state() -> None:
    clock = FakeClock(NOON)
    with erstwhile.open(":memory:", clock=clock) as memory:
        fact = memory.remember("a", expires_at="in 1 day")
    told = to_json(fact, NOON)
    assert list(told)[:3] == ["id", "short_id", "state"]
    assert (told["short_id"], told["state"]) == (fact.short_id, "live")
    assert to_json(fact, NOON + timedelta(days=2))["state"] == "retired"


def test_a_step_of_a_history_has_the_state_of_its_own_time() -> None:
    """A fact that expired later was live when it was remembered."""
    with erstwhile.open(":memory:", clock=FakeClock(NOON)) as memory:
        fact = memory.remember("a", expires_at="in 1 day")
        steps = memory.facts.history(fact.id)
    later = NOON + timedelta(days=2)
    assert [step["fact"]["state"] for step in to_json(steps, later)] == ["live"]


def test_a_fact_of_a_clock_that_runs_ahead_is_live() -> None:
    """Its own time counts if our clock is behind it."""
    with erstwhile.open(":memory:", clock=FakeClock(datetime(2990, 1, 1, tzinfo=UTC))) as memory:
        assert to_json(memory.remember("a"))["state"] == "live"


def test_mappings_and_enums_are_to_json() -> None:
    frozen = MappingProxyType(
        {"kind": erstwhile.types.Kind.FACT, "page": erstwhile.Page((1, "a"), "n")}
    )
    assert to_json(frozen) == {"kind": "fact", "page": {"items": [1, "a"], "next": "n"}}
    assert type(to_json(erstwhile.types.Kind.FACT)) is str


def test_a_value_that_is_no_record_is_refused() -> None:
    with pytest.raises(TypeError, match="not a record: object"):
        to_json(object())


def test_json_is_readable_and_safe_on_a_terminal() -> None:
    text = json_line({"text": "é数\x1b\x9b\u2028\u202e"})
    assert text == '{"text": "é数\\u001b\\u009b\\u2028\\u202e"}'
    assert json.loads(text) == {"text": "é数\x1b\x9b\u2028\u202e"}
    assert json_line("\ud800").isascii()
