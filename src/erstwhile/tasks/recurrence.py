"""When something that recurs is due: by the clock on its wall, counted from where it began.

Every occurrence is reckoned from the anchor, the wall-clock time of the first, and never from the
one before. So nothing drifts: what begins on 31 January is due on the last day of February and on
31 March. The clock is that of a time zone: nine o'clock stays nine o'clock when the clocks change,
and what falls into the hour that is skipped comes as much later. Only rules by the hour or the
minute count elapsed time.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import islice

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.text import checked_id
from erstwhile.tasks.rrule import STEPS, Rule, parse_rule, spelt_out

_DAY = timedelta(days=1)


def time_zone(name: str) -> tzinfo:
    """A time zone by its name, such as Europe/Berlin."""
    if name == "UTC":
        return UTC
    # Loaded here: who has no tasks does not need it.
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(checked_id(name, name="time_zone"))
    except (KeyError, ValueError, OSError):  # names are paths of files, so much can go wrong
        raise InvalidInputError(
            f"unknown time zone {name!r}",
            remedy="use a name such as Europe/Berlin; if this system has no time zones, install "
            "the package tzdata",
        ) from None


def on_the_wall(moment: datetime, zone: tzinfo) -> datetime:
    """What a clock in the zone shows at that moment."""
    return moment.astimezone(zone).replace(tzinfo=None, fold=0)


def at_wall_time(wall: datetime, zone: tzinfo) -> datetime:
    """The moment at which a clock in the zone shows this; the first, if it does so twice."""
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


def first_occurrence(recurrence: str, anchor: datetime, zone: tzinfo) -> datetime | None:
    """The first at or after the anchor."""
    return next(_occurrences(recurrence, anchor, zone, anchor), None)


def occurrence_after(
    recurrence: str, anchor: datetime, zone: tzinfo, after: datetime
) -> datetime | None:
    """The first that is later than a moment; None if there is none any more."""
    near = on_the_wall(after, zone) - _DAY  # clocks differ by less
    coming = _occurrences(recurrence, anchor, zone, max(near, anchor))
    return next((moment for moment in coming if moment > after), None)


def _occurrences(
    recurrence: str, anchor: datetime, zone: tzinfo, near: datetime
) -> Iterator[datetime]:
    """In order, from about `near` on."""
    rule = parse_rule(spelt_out(recurrence, anchor))
    until = rule.until
    if until is not None and until.tzinfo is None:
        until = at_wall_time(until, zone)
    found = _elapsed if rule.frequency in STEPS else _by_calendar
    try:
        for moment in found(rule, anchor, zone, near):
            if until is not None and moment > until:
                return
            yield moment
    except OverflowError:  # the calendar ends with the year 9999
        return


def _elapsed(rule: Rule, anchor: datetime, zone: tzinfo, near: datetime) -> Iterator[datetime]:
    step, start = STEPS[rule.frequency] * rule.interval, at_wall_time(anchor, zone)
    number = max(0, (at_wall_time(near, zone) - start) // step)
    while rule.count is None or number < rule.count:
        yield start + number * step
        number += 1


def _by_calendar(rule: Rule, anchor: datetime, zone: tzinfo, near: datetime) -> Iterator[datetime]:
    # Loaded here: only what recurs needs it.
    from dateutil.rrule import rrulestr

    start = _nearer(rule, anchor, near)
    walls: Iterator[datetime] = islice(rrulestr(rule.unlimited, dtstart=start), rule.count)
    return (at_wall_time(wall, zone) for wall in walls if wall >= near)


def _nearer(rule: Rule, anchor: datetime, near: datetime) -> datetime:
    """A start in step with the anchor, so that years of days need not be counted through."""
    days = {"DAILY": 1, "WEEKLY": 7}.get(rule.frequency)
    if days is None or rule.count is not None:
        return anchor
    step = days * rule.interval * _DAY
    return anchor + (near - anchor) // step * step
