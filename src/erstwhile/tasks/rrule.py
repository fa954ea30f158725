"""A recurrence as people write it: a word, or an RRULE of RFC 5545. Checked, and taken apart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.text import checked_label

MAX_RECURRENCE = 500
MAX_INTERVAL = 10_000

WORDS = ("daily", "weekdays", "weekly", "monthly", "yearly")
STEPS = {"HOURLY": timedelta(hours=1), "MINUTELY": timedelta(minutes=1)}
"""Frequencies that count elapsed time. The others go by the calendar."""

_FREQUENCIES = (*STEPS, "DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_RANGES = {
    "BYMONTH": range(1, 13), "BYMONTHDAY": range(1, 32), "BYYEARDAY": range(1, 367),
    "BYWEEKNO": range(1, 54), "BYSETPOS": range(1, 367), "BYHOUR": range(24),
    "BYMINUTE": range(60),
}  # fmt: skip
_FROM_THE_END = ("BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS")
"""What may be negative, and then counts back."""
_PARTS = frozenset(("FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY", *_RANGES))
_LIMITS = ("COUNT", "UNTIL")
_NOT_WITH = {
    "BYWEEKNO": ("DAILY", "WEEKLY", "MONTHLY"), "BYYEARDAY": ("DAILY", "WEEKLY", "MONTHLY"),
    "BYMONTHDAY": ("WEEKLY",), "BYSETPOS": ("DAILY",),
}  # fmt: skip
"""What the RFC forbids, or what would pick nothing."""
_WRITTEN = re.compile(r"(?:RRULE:)?([A-Z]+=[0-9A-Z,+-]+(?:;[A-Z]+=[0-9A-Z,+-]+)*);?")
_DAY = re.compile(r"(?:[+-]?(?:[1-9]|[1-4]\d|5[0-3]))?(?:MO|TU|WE|TH|FR|SA|SU)")
_UNTIL = re.compile(r"\d{8}(?:T\d{6}Z?)?")
_LONGEST_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True, slots=True)
class Rule:
    """An RRULE, taken apart as far as we need it."""

    frequency: str
    interval: int
    count: int | None
    until: datetime | None
    """The last moment that is in; without a zone, a time on the rule's own clock."""
    unlimited: str
    """The rule without its end."""


def checked_recurrence(said: str) -> str:
    """The word, or the rule in its plain form; what has no clear meaning is refused."""
    text = checked_label(said, name="recurrence", limit=MAX_RECURRENCE)
    if text.lower() in WORDS:
        return text.lower()
    written = _WRITTEN.fullmatch(text.upper())
    if written is None:
        raise _refused(f"unknown recurrence {text!r}")
    parse_rule(written[1])
    return written[1]


def spelt_out(recurrence: str, anchor: datetime) -> str:
    """A word as a rule. Where a month has no such day, its last day is meant."""
    days = ",".join(str(day) for day in range(min(anchor.day, 28), anchor.day + 1))
    return {
        "daily": "FREQ=DAILY",
        "weekdays": "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR",
        "weekly": "FREQ=WEEKLY",
        "monthly": f"FREQ=MONTHLY;BYMONTHDAY={days};BYSETPOS=-1",
        "yearly": f"FREQ=YEARLY;BYMONTH={anchor.month};BYMONTHDAY={days};BYSETPOS=-1",
    }.get(recurrence, recurrence)


@lru_cache(maxsize=256)
def parse_rule(text: str) -> Rule:
    pairs = [part.partition("=")[::2] for part in text.split(";")]
    parts = dict(pairs)
    if len(parts) < len(pairs) or not parts.keys() <= _PARTS:
        raise _refused(f"{text!r} has unknown or repeated parts")
    _check_frequency(parts)
    _check_days(parts)
    interval = _number(parts.get("INTERVAL", "1"), range(1, MAX_INTERVAL + 1), "INTERVAL")
    if parts["FREQ"] == "DAILY" and "BYDAY" in parts and interval % 7 == 0:
        # It falls on one day of the week for ever; on another, it would be searched as long.
        raise _refused("every so many weeks is not DAILY", remedy="write FREQ=WEEKLY with BYDAY")
    return Rule(
        frequency=parts["FREQ"],
        interval=interval,
        count=_number(parts["COUNT"], range(1, 10**6), "COUNT") if "COUNT" in parts else None,
        until=_until(parts),
        unlimited=";".join(f"{name}={value}" for name, value in pairs if name not in _LIMITS),
    )


def _check_frequency(parts: Mapping[str, str]) -> None:
    frequency = parts.get("FREQ")
    if frequency not in _FREQUENCIES:
        raise _refused(f"a recurrence needs a FREQ, one of {', '.join(_FREQUENCIES)}")
    if frequency in STEPS and any(name.startswith("BY") for name in parts):
        raise _refused(
            f"with FREQ={frequency} nothing can be picked",
            remedy="write it by the day, such as FREQ=DAILY;BYHOUR=9,13,17;BYMINUTE=0",
        )
    for name in parts:
        if frequency in _NOT_WITH.get(name, ()):
            raise _refused(f"{name} has no meaning with FREQ={frequency}")


def _check_days(parts: Mapping[str, str]) -> None:
    """Each number in its range; and a day that no month has would be searched for ever."""
    for name, allowed in _RANGES.items():
        for value in parts[name].split(",") if name in parts else ():
            back = name in _FROM_THE_END and value.startswith("-")
            _number(value.removeprefix("-") if back else value, allowed, name)
    days = [*parts.get("BYDAY", "MO").split(","), parts.get("WKST", "MO")]
    if not all(_DAY.fullmatch(day) for day in days):
        raise _refused("BYDAY must be a list of days, such as MO,WE or 2TU")
    months = [int(month) for month in parts.get("BYMONTH", "1").split(",")]
    first = min(abs(int(day)) for day in parts.get("BYMONTHDAY", "1").split(","))
    if first > max(_LONGEST_MONTHS[month - 1] for month in months):
        raise _refused(f"month {months[0]} never has a day {first}")


def _until(parts: Mapping[str, str]) -> datetime | None:
    """A date alone means that day to its end."""
    said = parts.get("UNTIL")
    if said is None:
        return None
    if "COUNT" in parts:
        raise _refused("a recurrence ends by COUNT or by UNTIL, not by both")
    try:
        if not _UNTIL.fullmatch(said):
            raise ValueError
        until = datetime.fromisoformat(said.removesuffix("Z"))
    except ValueError:
        raise _refused("UNTIL must be written as 20261231 or 20261231T170000Z") from None
    if "T" not in said:
        until += timedelta(days=1) - timedelta(microseconds=1)
    return until.replace(tzinfo=UTC) if said.endswith("Z") else until


def _number(written: str, allowed: range, name: str) -> int:
    if not (written.isascii() and written.isdecimal() and int(written) in allowed):
        raise _refused(f"{name} must lie between {allowed[0]} and {allowed[-1]:,}, not {written}")
    return int(written)


def _refused(message: str, *, remedy: str = "") -> InvalidInputError:
    example = f"use {', '.join(WORDS)}, or an RRULE such as FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"
    return InvalidInputError(message, remedy=remedy or example)
