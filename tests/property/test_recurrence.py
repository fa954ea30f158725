"""Occurrences, compared with python-dateutil over a year with two clock changes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Any

import pytest
from dateutil import tz
from dateutil.relativedelta import relativedelta
from dateutil.rrule import rrulestr
from hypothesis import example, given, settings
from hypothesis import strategies as st

from erstwhile.tasks.recurrence import first_occurrence, occurrence_after, time_zone
from erstwhile.tasks.rrule import checked_recurrence

ZONES = (
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago",
    "Asia/Kolkata", "Pacific/Apia", "Africa/Casablanca", "UTC",
)  # fmt: skip
"""North and south, a change of half an hour, changes at midnight, and none at all."""
END = datetime(2027, 1, 15, tzinfo=UTC)

# The hours in which clocks change are drawn as often as all others.
hours = st.sampled_from([0, 1, 2, 3]) | st.integers(0, 23)
days = st.datetimes(datetime(2025, 12, 1), datetime(2026, 12, 31)) | st.sampled_from(  # noqa: DTZ001
    [datetime(2026, 1, 31), datetime(2026, 3, 29), datetime(2026, 10, 24)]  # noqa: DTZ001
)


@st.composite
def anchors(draw: st.DrawFn) -> datetime:
    minute = draw(st.sampled_from([0, 15, 30, 59]))
    return draw(days).replace(hour=draw(hours), minute=minute, second=0, microsecond=0, fold=0)


@st.composite
def rules(draw: st.DrawFn) -> str:
    """Generate calendar rules."""
    frequency = draw(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]))
    parts = [f"FREQ={frequency}", f"INTERVAL={draw(st.integers(1, 4))}"]
    picked = st.lists(
        st.sampled_from(["MO", "WE", "FR", "SU"]), min_size=1, max_size=3, unique=True
    )
    if draw(st.booleans()):
        parts.append(f"BYDAY={','.join(draw(picked))}")
    if frequency == "MONTHLY" and draw(st.booleans()):
        parts.append(f"BYMONTHDAY={draw(st.sampled_from(['1', '15,-1', '31', '29,30']))}")
    if draw(st.booleans()):
        parts.append(f"BYHOUR={draw(st.sampled_from(['2', '1,2,3', '0,12']))}")
    if draw(st.booleans()):
        parts.append(f"COUNT={draw(st.integers(1, 40))}")
    return ";".join(parts)


def ours(recurrence: str, anchor: datetime, zone: str) -> list[datetime]:
    """Return each occurrence after the one before, as tasks compute them."""
    rule, clock, found = checked_recurrence(recurrence), time_zone(zone), list[datetime]()
    at = first_occurrence(rule, anchor, clock)
    while at is not None and at < END:
        found.append(at)
        at = occurrence_after(rule, anchor, clock, at)
    return found


def on_wall(walls: Iterable[datetime], zone: str) -> list[datetime]:
    """Return the moments at which a clock shows these times, computed by dateutil."""
    clock = tz.gettz(zone)
    moments = (tz.resolve_imaginary(wall.replace(tzinfo=clock)).astimezone(UTC) for wall in walls)
    return sorted(set(takewhile(lambda moment: moment < END, moments)))


@settings(max_examples=400)
@given(rule=rules(), anchor=anchors(), zone=st.sampled_from(ZONES))
@example("FREQ=DAILY", datetime(2026, 3, 28, 2, 30), "Europe/Berlin")  # noqa: DTZ001
@example("FREQ=DAILY", datetime(2026, 10, 24, 2, 30), "Europe/Berlin")  # noqa: DTZ001
@example("FREQ=DAILY;BYHOUR=1,2,3", datetime(2026, 3, 28, 1, 0), "America/New_York")  # noqa: DTZ001
@example("FREQ=MONTHLY", datetime(2026, 1, 31, 9, 0), "UTC")  # noqa: DTZ001
def test_rules_agree_with_dateutil(rule: str, anchor: datetime, zone: str) -> None:
    walls = takewhile(lambda wall: wall.year < 2028, rrulestr(rule, dtstart=anchor))
    assert ours(rule, anchor, zone) == on_wall(walls, zone)


@settings(max_examples=80)
@given(
    step=st.sampled_from([("HOURLY", "hours"), ("MINUTELY", "minutes")]),
    interval=st.integers(1, 100),
    anchor=anchors(),
    zone=st.sampled_from(ZONES),
    later=st.timedeltas(timedelta(0), timedelta(days=400)),
)
def test_hours_and_minutes_are_elapsed_time(
    step: tuple[str, str], interval: int, anchor: datetime, zone: str, later: timedelta
) -> None:
    """The result is that of dateutil in UTC, from any starting point."""
    start = on_wall([anchor], zone)[0]
    after = start + later
    found = occurrence_after(f"FREQ={step[0]};INTERVAL={interval}", anchor, time_zone(zone), after)
    whole = (after - start) // timedelta(**{step[1]: interval})
    near = start + whole * timedelta(**{step[1]: interval})
    rule = rrulestr(f"FREQ={step[0]};INTERVAL={interval}", dtstart=near)
    assert found == rule.after(after)


@settings(max_examples=80)
@given(
    word=st.sampled_from([("daily", "days"), ("weekly", "weeks"), ("monthly", "months")])
    | st.just(("yearly", "years")),
    anchor=anchors(),
    zone=st.sampled_from(ZONES),
)
@example(("monthly", "months"), datetime(2026, 1, 31, 9, 0), "Europe/Berlin")  # noqa: DTZ001
@example(("yearly", "years"), datetime(2020, 2, 29, 9, 0), "UTC")  # noqa: DTZ001
def test_words_count_from_the_anchor(word: tuple[str, str], anchor: datetime, zone: str) -> None:
    """A month that is too short uses its last day."""
    steps: Any = ({word[1]: number} for number in range(450))
    walls = [anchor + relativedelta(**step) for step in steps]
    assert ours(word[0], anchor, zone) == on_wall(walls, zone)


@settings(max_examples=30)
@given(anchor=anchors(), zone=st.sampled_from(ZONES))
def test_weekdays_exclude_the_weekend(anchor: datetime, zone: str) -> None:
    walls = [anchor + timedelta(days=number) for number in range(450)]
    assert ours("weekdays", anchor, zone) == on_wall(
        (wall for wall in walls if wall.weekday() < 5), zone
    )


@pytest.mark.parametrize("after", ["2026-06-01T00:00", "2026-10-25T00:45", "2026-10-25T01:30"])
def test_the_next_occurrence_is_the_first_after_the_moment(after: str) -> None:
    at = datetime.fromisoformat(after).replace(tzinfo=UTC)
    anchor, zone = datetime(2026, 1, 1, 2, 30), "Europe/Berlin"  # noqa: DTZ001
    coming = [each for each in ours("daily", anchor, zone) if each > at]
    assert occurrence_after("daily", anchor, time_zone(zone), at) == coming[0]
