"""Recurrence rules: parsing, checking, and the occurrences they give."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from erstwhile import InvalidInputError
from erstwhile.tasks.recurrence import (
    WORDS,
    _nearer,
    checked_recurrence,
    first_occurrence,
    occurrence_after,
    parse_rule,
    time_zone,
)

ANCHOR = datetime(2026, 3, 3, 9)  # noqa: DTZ001 (a Tuesday, on whatever clock)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        *((word.upper(), word) for word in WORDS),
        ("RRULE:freq=daily;interval=2", "FREQ=DAILY;INTERVAL=2"),
        (" FREQ=WEEKLY;BYDAY=MO,-1FR; ", "FREQ=WEEKLY;BYDAY=MO,-1FR"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=MONTHLY;BYMONTHDAY=-1"),
        ("FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU;WKST=MO", "FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU;WKST=MO"),
        ("FREQ=DAILY;UNTIL=20261231T170000Z", "FREQ=DAILY;UNTIL=20261231T170000Z"),
    ],
)
def test_a_rule_is_kept_in_its_plain_form(said: str, kept: str) -> None:
    assert checked_recurrence(said) == kept
    assert checked_recurrence(kept) == kept


@pytest.mark.parametrize(
    "said",
    [
        "hourly", "every day", "FREQ", "FREQ=", "=DAILY", "INTERVAL=2", "FREQ=SECONDLY",
        "FREQ=DAILY;FREQ=WEEKLY", "FREQ=DAILY;COLOR=RED", "FREQ=DAILY INTERVAL=2",
        "FREQ=DAILY\nDTSTART:20200101", "FREQ=DAILY;INTERVAL=-1", "FREQ=DAILY;INTERVAL=10001",
        "FREQ=DAILY;INTERVAL=1,2", "FREQ=DAILY;COUNT=X", "FREQ=DAILY;COUNT=3;UNTIL=20270101",
        "FREQ=DAILY;UNTIL=2027", "FREQ=DAILY;UNTIL=20271301", "FREQ=DAILY;BYMONTH=13",
        "FREQ=DAILY;BYMONTH=-1", "FREQ=MONTHLY;BYMONTHDAY=0", "FREQ=MONTHLY;BYMONTHDAY=32",
        "FREQ=DAILY;BYHOUR=24", "FREQ=WEEKLY;BYDAY=XX", "FREQ=MONTHLY;BYDAY=0MO",
        "FREQ=WEEKLY;BYDAY=54MO", "FREQ=WEEKLY;WKST=9", "FREQ=HOURLY;BYMINUTE=5",
        "FREQ=MINUTELY;BYDAY=MO", "FREQ=DAILY;BYSETPOS=1", "FREQ=WEEKLY;BYMONTHDAY=1",
        "FREQ=DAILY;BYYEARDAY=1", "FREQ=DAILY;INTERVAL=14;BYDAY=MO",
        "FREQ=MONTHLY;BYMONTH=4,6;BYMONTHDAY=31",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;BYHOUR=٣", "FREQ=DAILY;" * 60,
    ],
)  # fmt: skip
def test_an_unclear_recurrence_or_time_is_refused(said: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        checked_recurrence(said)
    assert caught.value.remedy


def test_an_end_on_a_day_includes_the_day() -> None:
    for until, last in (("20260304", 4), ("20260304T090000", 4), ("20260304T065959Z", 3)):
        rule, zone = f"FREQ=DAILY;UNTIL={until}", time_zone("Europe/Helsinki")
        at, days = first_occurrence(rule, ANCHOR, zone), list[int]()
        while at is not None:
            days.append(at.day)
            at = occurrence_after(rule, ANCHOR, zone, at)
        assert days[-1] == last


def test_a_rule_without_occurrences_is_refused_at_once() -> None:
    assert first_occurrence("FREQ=DAILY;UNTIL=20260302", ANCHOR, UTC) is None


def test_the_calendar_ends_with_the_year_9999() -> None:
    late = datetime(9999, 12, 31, 9)  # noqa: DTZ001
    for rule in ("yearly", "daily", "FREQ=HOURLY", "FREQ=MINUTELY;INTERVAL=10000"):
        assert first_occurrence(rule, late, UTC) == late.replace(tzinfo=UTC)
        after = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
        assert occurrence_after(rule, late, UTC, after) is None


@pytest.mark.parametrize("rule", ["FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR"])
def test_years_of_days_are_skipped(rule: str) -> None:
    old, near = datetime(1970, 1, 1, 9), datetime(2026, 3, 3, 12)  # noqa: DTZ001
    start = _nearer(parse_rule(rule), old, near)
    assert near - timedelta(days=14) < start <= near
    assert (start - old) % timedelta(days=3 if "DAILY" in rule else 14) == timedelta()
    assert _nearer(parse_rule(f"{rule};COUNT=9"), old, near) == old


def test_a_rule_is_parsed() -> None:
    rule = parse_rule("FREQ=WEEKLY;COUNT=3;BYDAY=MO;INTERVAL=2")
    assert (rule.frequency, rule.count, rule.interval, rule.until) == ("WEEKLY", 3, 2, None)
    assert rule.unlimited == "FREQ=WEEKLY;BYDAY=MO;INTERVAL=2"
