"""How people write times, and how they are stored."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile import InvalidInputError
from erstwhile.core.time import (
    ENDLESS,
    EPOCH,
    FOREVER,
    from_micros,
    parse_age,
    parse_expiry,
    parse_moment,
    to_micros,
)

NOW = datetime(2026, 3, 31, 15, 30, 45, 123456, tzinfo=UTC)
FIRST = datetime.min.replace(tzinfo=UTC)
MOMENTS = st.datetimes(timezones=st.just(UTC))


@given(MOMENTS)
def test_microseconds_round_trip(moment: datetime) -> None:
    assert from_micros(to_micros(moment)) == moment
    assert from_micros(to_micros(moment)).tzinfo is UTC


@given(MOMENTS, MOMENTS)
def test_stored_order_is_the_order_of_time(one: datetime, other: datetime) -> None:
    """An engine compares the stored numbers."""
    assert (to_micros(one) < to_micros(other)) is (one < other)


def test_the_ends_of_time() -> None:
    assert to_micros(EPOCH) == 0
    assert from_micros(to_micros(FIRST)) == FIRST
    assert from_micros(ENDLESS) == FOREVER
    assert ENDLESS == 253402300799999999


@given(st.datetimes(timezones=st.timezones(), min_value=datetime(2, 1, 1)))  # noqa: DTZ001
def test_a_zone_is_only_another_way_of_writing(moment: datetime) -> None:
    parsed = parse_moment(moment, now=NOW, name="t")
    assert parsed == moment.astimezone(UTC)
    assert parsed.tzinfo is UTC
    assert parse_moment(parsed.isoformat(), now=NOW, name="t") == parsed


def test_an_hour_that_comes_twice_is_told_apart() -> None:
    """When clocks are set back, `fold` selects one of the two."""
    first = datetime(2026, 11, 1, 1, 30, tzinfo=ZoneInfo("America/New_York"))
    parsed = [parse_moment(each, now=NOW, name="t") for each in (first, first.replace(fold=1))]
    assert parsed[1] - parsed[0] == timedelta(hours=1)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("now", NOW),
        (" NOW ", NOW),
        ("today", datetime(2026, 3, 31, tzinfo=UTC)),
        ("Yesterday", datetime(2026, 3, 30, tzinfo=UTC)),
        ("tomorrow", datetime(2026, 4, 1, tzinfo=UTC)),
        ("3 days ago", NOW - timedelta(days=3)),
        ("1 week ago", NOW - timedelta(weeks=1)),
        ("in 90 minutes", NOW + timedelta(minutes=90)),
        ("in 90 mins", NOW + timedelta(minutes=90)),
        ("in 2h", NOW + timedelta(hours=2)),
        ("in  2  Hours", NOW + timedelta(hours=2)),
        ("in 1 s", NOW + timedelta(seconds=1)),
        ("2026-12-01", datetime(2026, 12, 1, tzinfo=UTC)),
        ("20261201", datetime(2026, 12, 1, tzinfo=UTC)),
        ("2026-12-01 09:30", datetime(2026, 12, 1, 9, 30, tzinfo=UTC)),
        ("2026-12-01T09:30:15.5Z", datetime(2026, 12, 1, 9, 30, 15, 500_000, tzinfo=UTC)),
        ("2026-12-01T00:30:00+09:00", datetime(2026, 11, 30, 15, 30, tzinfo=UTC)),
        (date(2026, 12, 1), datetime(2026, 12, 1, tzinfo=UTC)),
        (datetime(2026, 12, 1, 9), datetime(2026, 12, 1, 9, tzinfo=UTC)),  # noqa: DTZ001
        ("0001-01-01", FIRST),
        ("9999-12-31T23:59:59.999999Z", FOREVER),
    ],
    ids=str,
)
def test_what_people_write(said: Any, meant: datetime) -> None:
    assert parse_moment(said, now=NOW, name="t") == meant


@pytest.mark.parametrize(
    "said",
    [
        "", " ", "soon", "next week", "2026-13-40", "2026-02-30", "25:00", "3 days", "36h",
        "in 3 days ago", "in days", "in -3 days", "in 3.5 days", "in 3 fortnights", "500ms ago",
        "in 3 ms", "in 1234567 days", "2026", "12", "1_000 days ago", "now!", None, 5, 1.5, True,
        b"now", ["now"],
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))), "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:00:00-05:00", "in 999999 years", "999999 years ago", "in 999999 weeks",
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_no_time_is_refused(said: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"^when ") as caught:
        parse_moment(said, now=NOW, name="when")
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("start", "said", "meant"),
    [
        ("2026-01-31", "in 1 month", "2026-02-28"),
        ("2024-01-31", "in 1 month", "2024-02-29"),
        ("2026-01-31", "in 3 months", "2026-04-30"),
        ("2026-03-31", "1 month ago", "2026-02-28"),
        ("2024-02-29", "in 1 year", "2025-02-28"),
        ("2026-12-31", "in 2 months", "2027-02-28"),
        ("2026-01-31", "in 4 weeks", "2026-02-28"),
    ],
)
def test_months_are_no_fixed_number_of_days(start: str, said: str, meant: str) -> None:
    now = parse_moment(start, now=NOW, name="t")
    assert parse_moment(said, now=now, name="t") == parse_moment(meant, now=NOW, name="t")


@pytest.mark.parametrize("said", ["36h", "36 hours", timedelta(hours=36)], ids=str)
def test_a_bare_duration_counts_forwards_as_an_expiry_and_back_as_an_age(said: Any) -> None:
    assert parse_expiry(said, now=NOW) == NOW + timedelta(hours=36)
    assert parse_age(said, now=NOW, name="age") == NOW - timedelta(hours=36)


def test_durations_leave_the_other_ways_of_writing_alone() -> None:
    for parse in (parse_expiry, lambda said, now: parse_age(said, now=now, name="age")):
        assert parse("2026-12-01", now=NOW) == datetime(2026, 12, 1, tzinfo=UTC)
        assert parse("3 days ago", now=NOW) == NOW - timedelta(days=3)
        assert parse("in 3 days", now=NOW) == NOW + timedelta(days=3)


@pytest.mark.parametrize("span", [timedelta.max, timedelta.min])
def test_a_span_beyond_all_time_is_refused(span: timedelta) -> None:
    with pytest.raises(InvalidInputError, match="1 to 9999"):
        parse_expiry(span, now=NOW)
    with pytest.raises(InvalidInputError, match="1 to 9999"):
        parse_age(span, now=NOW, name="age")


@pytest.mark.parametrize("unit", ["s", "sec", "second", "m", "min", "minute", "h", "hour"])
def test_every_unit_has_a_short_and_a_long_form(unit: str) -> None:
    seconds = {"s": 1, "m": 60, "h": 3600}[unit[0]]
    forms = [unit] if len(unit) == 1 else [unit, f"{unit}s", f"{unit.upper()}S"]
    for form in forms:
        assert parse_expiry(f"7 {form}", now=NOW) == NOW + timedelta(seconds=7 * seconds)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    for parse in (parse_expiry, parse_age, parse_moment):
        extra = {} if parse is parse_expiry else {"name": "t"}
        try:
            parsed = parse(text, now=NOW, **extra)
        except InvalidInputError:
            continue
        assert parsed.tzinfo is UTC


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("2026-07-01T09:00", "2026-07-01T07:00+00:00"),
        ("2026-07-01T09:00Z", "2026-07-01T09:00+00:00"),
        ("tomorrow", "2026-03-28T23:00+00:00"),
        (date(2026, 7, 1), "2026-06-30T22:00+00:00"),
        (datetime(2026, 7, 1, 9), "2026-07-01T07:00+00:00"),  # noqa: DTZ001
        ("in 2 days", "2026-03-30T10:00+00:00"),
        ("in 48 hours", "2026-03-30T11:00+00:00"),
        ("in 1 month", "2026-04-28T10:00+00:00"),
        ("now", "2026-03-28T11:00+00:00"),
    ],
    ids=str,
)
def test_without_a_zone_the_clock_of_now_counts(said: Any, meant: str) -> None:
    """When clocks change, days keep the time of day and hours are exact."""
    now = datetime(2026, 3, 28, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    parsed = parse_moment(said, now=now, name="due")
    assert parsed == datetime.fromisoformat(meant)
    assert parsed.tzinfo is UTC
