"""Occurrences of a recurring task, in the wall-clock time of a zone.

Every occurrence is computed from the anchor, the wall-clock time of the first one, and never from
the one before. So the times do not drift: a monthly task that begins on 31 January is due on the
last day
of February and on 31 March. Nine o'clock stays nine o'clock when the clocks change. A time in the
skipped hour moves by the length of the skip. Only hourly and minutely rules count elapsed time.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import islice

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.text import checked_id
from erstwhile.tasks.rrule import STEPS, RecurrenceRule, parse_rule, spelt_out

_DAY = timedelta(days=1)


def time_zone(name: str) -> tzinfo:
    """Return a time zone by its name, such as Europe/Berlin."""
    if name == "UTC":
        return UTC
    # Loaded here: a task in UTC does not need it.
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(checked_id(name, name="time_zone"))
    except (KeyError, ValueError, OSError):  # names are paths of files
        raise InvalidInputError(
            f"unknown time zone {name!r}",
            remedy="use a name such as Europe/Berlin; if this system has no time zones, install "
            "the package tzdata",
        ) from None


def to_wall_time(moment: datetime, zone: tzinfo) -> datetime:
    """Return the time that a clock in the zone shows at that moment."""
    return moment.astimezone(zone).replace(tzinfo=None, fold=0)


def from_wall_time(wall: datetime, zone: tzinfo) -> datetime:
    """Return the (first) moment at which a clock in the zone shows this time."""
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


def first_occurrence(recurrence: str, anchor: datetime, zone: tzinfo) -> datetime | None:
    """Return the first occurrence at or after the anchor."""
    return next(_occurrences(recurrence, anchor, zone, anchor), None)


def occurrence_after(
    recurrence: str, anchor: datetime, zone: tzinfo, after: datetime
) -> datetime | None:
    """Return the first occurrence after a moment, or None if there is none."""
    near = to_wall_time(after, zone) - _DAY  # the offsets of time zones differ by less
    coming = _occurrences(recurrence, anchor, zone, max(near, anchor))
    return next((moment for moment in coming if moment > after), None)


def _occurrences(
    recurrence: str, anchor: datetime, zone: tzinfo, near: datetime
) -> Iterator[datetime]:
    """Yield the occurrences in order, from about `near` on."""
    rule = parse_rule(spelt_out(recurrence, anchor))
    until = rule.until
    if until is not None and until.tzinfo is None:
        until = from_wall_time(until, zone)
    found = _elapsed if rule.frequency in STEPS else _by_calendar
    try:
        for moment in found(rule, anchor, zone, near):
            if until is not None and moment > until:
                return
            yield moment
    except OverflowError:  # the calendar ends with the year 9999
        return


def _elapsed(
    rule: RecurrenceRule, anchor: datetime, zone: tzinfo, near: datetime
) -> Iterator[datetime]:
    step, start = STEPS[rule.frequency] * rule.interval, from_wall_time(anchor, zone)
    number = max(0, (from_wall_time(near, zone) - start) // step)
    while rule.count is None or number < rule.count:
        yield start + number * step
        number += 1


def _by_calendar(
    rule: RecurrenceRule, anchor: datetime, zone: tzinfo, near: datetime
) -> Iterator[datetime]:
    # Loaded here: only calendar rules need it.
    from dateutil.rrule import rrulestr

    start = _nearer(rule, anchor, near)
    walls: Iterator[datetime] = islice(rrulestr(rule.unlimited, dtstart=start), rule.count)
    return (from_wall_time(wall, zone) for wall in walls if wall >= near)


def _nearer(rule: RecurrenceRule, anchor: datetime, near: datetime) -> datetime:
    """Return a start near `near` that is a whole number of intervals after the anchor."""
    days = {"DAILY": 1, "WEEKLY": 7}.get(rule.frequency)
    if days is None or rule.count is not None:
        return anchor
    step = days * rule.interval * _DAY
    return anchor + (near - anchor) // step * step
