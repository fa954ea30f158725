"""Occurrences of a recurring task, in the wall-clock time of a zone.

Every occurrence is computed from the anchor, the wall-clock time of the first one, and never from
the one before. So the times do not drift: a monthly task that begins on 31 January is due on the
last day
of February and on 31 March. Nine o'clock stays nine o'clock when the clocks change. A time in the
skipped hour moves by the length of the skip. Only hourly and minutely rules count elapsed time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import islice

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.text import checked_id, checked_label

MAX_RECURRENCE = 500
MAX_INTERVAL = 10_000

WORDS = ("daily", "weekdays", "weekly", "monthly", "yearly")
STEPS = {"HOURLY": timedelta(hours=1), "MINUTELY": timedelta(minutes=1)}
"""Frequencies that count elapsed time. The others follow the calendar."""

_FREQUENCIES = (*STEPS, "DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_RANGES = {
    "BYMONTH": range(1, 13), "BYMONTHDAY": range(1, 32), "BYYEARDAY": range(1, 367),
    "BYWEEKNO": range(1, 54), "BYSETPOS": range(1, 367), "BYHOUR": range(24),
    "BYMINUTE": range(60),
}  # fmt: skip
_FROM_THE_END = ("BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS")
"""The parts that may be negative, to count from the end."""
_PARTS = frozenset(("FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY", *_RANGES))
_LIMITS = ("COUNT", "UNTIL")
_NOT_WITH = {
    "BYWEEKNO": ("DAILY", "WEEKLY", "MONTHLY"), "BYYEARDAY": ("DAILY", "WEEKLY", "MONTHLY"),
    "BYMONTHDAY": ("WEEKLY",), "BYSETPOS": ("DAILY",),
}  # fmt: skip
"""Combinations that the RFC forbids, or that never match."""
_RRULE = re.compile(r"(?:RRULE:)?([A-Z]+=[0-9A-Z,+-]+(?:;[A-Z]+=[0-9A-Z,+-]+)*);?")
_WEEKDAY = re.compile(r"(?:[+-]?(?:[1-9]|[1-4]\d|5[0-3]))?(?:MO|TU|WE|TH|FR|SA|SU)")
_UNTIL = re.compile(r"\d{8}(?:T\d{6}Z?)?")
_MAX_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True, slots=True)
class RecurrenceRule:
    """A parsed RRULE."""

    frequency: str
    interval: int
    count: int | None
    until: datetime | None
    """The last possible moment; without a zone, it is in the time zone of the task."""
    unlimited: str
    """The rule without its end."""


def checked_recurrence(recurrence: str) -> str:
    """Return the word or the rule in its normal form, or raise InvalidInputError."""
    text = checked_label(recurrence, name="recurrence", limit=MAX_RECURRENCE)
    if text.lower() in WORDS:
        return text.lower()
    match = _RRULE.fullmatch(text.upper())
    if match is None:
        raise _invalid(f"unknown recurrence {text!r}")
    parse_rule(match[1])
    return match[1]


def rrule_of(recurrence: str, anchor: datetime) -> str:
    """Return the RRULE of a word. A month without the anchor's day uses its last day."""
    days = ",".join(str(day) for day in range(min(anchor.day, 28), anchor.day + 1))
    return {
        "daily": "FREQ=DAILY",
        "weekdays": "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR",
        "weekly": "FREQ=WEEKLY",
        "monthly": f"FREQ=MONTHLY;BYMONTHDAY={days};BYSETPOS=-1",
        "yearly": f"FREQ=YEARLY;BYMONTH={anchor.month};BYMONTHDAY={days};BYSETPOS=-1",
    }.get(recurrence, recurrence)


@lru_cache(maxsize=256)
def parse_rule(text: str) -> RecurrenceRule:
    """Parse and check an RRULE."""
    pairs = [part.partition("=")[::2] for part in text.split(";")]
    parts = dict(pairs)
    if len(parts) < len(pairs) or not parts.keys() <= _PARTS:
        raise _invalid(f"{text!r} has unknown or repeated parts")
    _check_frequency(parts)
    _check_days(parts)
    interval = _number(parts.get("INTERVAL", "1"), range(1, MAX_INTERVAL + 1), "INTERVAL")
    if parts["FREQ"] == "DAILY" and "BYDAY" in parts and interval % 7 == 0:
        # The weekday would never change: a search for another weekday would never end.
        raise _invalid(
            "an interval of whole weeks is not DAILY", remedy="write FREQ=WEEKLY with BYDAY"
        )
    return RecurrenceRule(
        frequency=parts["FREQ"],
        interval=interval,
        count=_number(parts["COUNT"], range(1, 10**6), "COUNT") if "COUNT" in parts else None,
        until=_until(parts),
        unlimited=";".join(f"{name}={value}" for name, value in pairs if name not in _LIMITS),
    )


def _check_frequency(parts: Mapping[str, str]) -> None:
    frequency = parts.get("FREQ")
    if frequency not in _FREQUENCIES:
        raise _invalid(f"a recurrence needs a FREQ, one of {', '.join(_FREQUENCIES)}")
    if frequency in STEPS and any(name.startswith("BY") for name in parts):
        raise _invalid(
            f"FREQ={frequency} allows no BY… part",
            remedy="use a daily rule, such as FREQ=DAILY;BYHOUR=9,13,17;BYMINUTE=0",
        )
    for name in parts:
        if frequency in _NOT_WITH.get(name, ()):
            raise _invalid(f"{name} is not allowed with FREQ={frequency}")


def _check_days(parts: Mapping[str, str]) -> None:
    """Check the range of each number, and that some month has the day."""
    for name, allowed in _RANGES.items():
        for value in parts[name].split(",") if name in parts else ():
            negative = name in _FROM_THE_END and value.startswith("-")
            _number(value.removeprefix("-") if negative else value, allowed, name)
    days = [*parts.get("BYDAY", "MO").split(","), parts.get("WKST", "MO")]
    if not all(_WEEKDAY.fullmatch(day) for day in days):
        raise _invalid("BYDAY must be a list of days, such as MO,WE or 2TU")
    months = [int(month) for month in parts.get("BYMONTH", "1").split(",")]
    first = min(abs(int(day)) for day in parts.get("BYMONTHDAY", "1").split(","))
    if first > max(_MAX_MONTHS[month - 1] for month in months):
        raise _invalid(f"month {months[0]} never has a day {first}")


def _until(parts: Mapping[str, str]) -> datetime | None:
    """Return the end of the rule. A date alone includes that whole day."""
    end = parts.get("UNTIL")
    if end is None:
        return None
    if "COUNT" in parts:
        raise _invalid("a recurrence has a COUNT or an UNTIL, not both")
    try:
        if not _UNTIL.fullmatch(end):
            raise ValueError
        until = datetime.fromisoformat(end.removesuffix("Z"))
    except ValueError:
        raise _invalid("UNTIL must be written as 20261231 or 20261231T170000Z") from None
    if "T" not in end:
        until += timedelta(days=1) - timedelta(microseconds=1)
    return until.replace(tzinfo=UTC) if end.endswith("Z") else until


def _number(text: str, allowed: range, name: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) in allowed):
        raise _invalid(f"{name} must lie between {allowed[0]} and {allowed[-1]:,}, not {text}")
    return int(text)


def _invalid(message: str, *, remedy: str = "") -> InvalidInputError:
    example = f"use {', '.join(WORDS)}, or an RRULE such as FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"
    return InvalidInputError(message, remedy=remedy or example)


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
    """Return the wall-clock time of a moment in a zone."""
    return moment.astimezone(zone).replace(tzinfo=None, fold=0)


def from_wall_time(wall: datetime, zone: tzinfo) -> datetime:
    """Return the (first) moment of a wall-clock time in a zone."""
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


def first_occurrence(recurrence: str, anchor: datetime, zone: tzinfo) -> datetime | None:
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
    rule = parse_rule(rrule_of(recurrence, anchor))
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
