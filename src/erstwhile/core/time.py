"""Times in UTC, to the microsecond, and the parsing of times that people write.

There are two axes. Valid time is the time when a fact was true, recorded time the time when the
store knew it. Intervals are half open: the end is the first moment outside.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Any, TypeAlias

from erstwhile.core.errors import CorruptError, InvalidInputError

Moment: TypeAlias = datetime | date | str
"""The types that callers may pass as a time."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
FOREVER = datetime.max.replace(tzinfo=UTC)
"""The stored value for "no end", so that intervals compare without special cases."""

_ACCEPTED = (
    "write a date (2026-12-01), a time with its zone (2026-12-01T09:30:00Z), "
    "'now', '3 days ago' or 'in 3 days'"
)
_UNITS = {
    "s": "seconds", "sec": "seconds", "second": "seconds",
    "m": "minutes", "min": "minutes", "minute": "minutes",
    "h": "hours", "hour": "hours",
    "d": "days", "day": "days",
    "w": "weeks", "week": "weeks",
    "month": "months", "y": "years", "year": "years",
}  # fmt: skip
_SPAN = re.compile(r"(in\s+)?(\d{1,6})\s*([a-z]+)(\s+ago)?", re.IGNORECASE)
_MAX_AGE = FOREVER - EPOCH + timedelta(days=999_999)
"""The longest duration: longer than the calendar. A longer timedelta may have no negative."""
_NAMED_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}


def to_micros(moment: datetime) -> int:
    """Return the stored form: microseconds since 1970 in UTC."""
    return (moment - EPOCH) // MICROSECOND


@lru_cache(maxsize=256)  # a row often has the same time in several columns
def from_micros(micros: int) -> datetime:
    """Return the time of a stored form. Raise CorruptError if the calendar does not have it."""
    try:
        return EPOCH + micros * MICROSECOND
    except OverflowError:
        raise CorruptError(
            "a stored time is outside the calendar", remedy="restore a copy"
        ) from None


ENDLESS = to_micros(FOREVER)
DRIFT = 3_600_000_000
"""By how many microseconds the newest change may be ahead of the clock: clocks are set right."""
LATEST = to_micros(datetime(9000, 1, 1, tzinfo=UTC))
"""The latest time of a change. A later clock is wrong, and the calendar still has later times."""


def parse_moment(value: Moment, *, now: datetime, name: str) -> datetime:
    """Parse a time as people write it.

    A date, a text or a datetime without a zone is in the zone of `now`, which is UTC by default.
    """
    if isinstance(value, datetime):
        return _in_zone(value, now.tzinfo, name)
    if isinstance(value, date):
        return _in_zone(datetime(value.year, value.month, value.day), now.tzinfo, name)  # noqa: DTZ001
    if not isinstance(value, str):
        raise InvalidInputError(f"{name} is not a time: {value!r}", remedy=_ACCEPTED)
    return _parse_text(value.strip(), now, name)


def past_moment(value: Moment | None, *, now: datetime, name: str) -> datetime:
    """Return the moment of an event, now by default. Raise InvalidInputError for the future."""
    moment = now if value is None else parse_moment(value, now=now, name=name)
    if not EPOCH <= moment <= now:
        raise InvalidInputError(
            f"{name} cannot be {moment.isoformat()}", remedy="give a time between 1970 and now"
        )
    return moment


def moment_asked(arguments: Mapping[str, Any]) -> datetime | None:
    """Return the time that a question is about: `as_of`, `now` or `known_at`; None for the present.

    Call it after the verb, which checks its arguments in its own order.
    """
    for name in ("as_of", "now", "known_at"):
        if asked := arguments.get(name):
            return parse_moment(asked, now=datetime.now(UTC), name=name)
    return None


def parse_expiry(value: Moment | timedelta, *, now: datetime, name: str = "expires_at") -> datetime:
    """Parse like `parse_moment`. A bare duration ("36h", a timedelta) counts from now."""
    if isinstance(value, timedelta):
        return _shifted(now.astimezone(UTC), value, name)
    if isinstance(value, str) and (span := _SPAN.fullmatch(value.strip())) and not span[4]:
        return _span_from(now, span, name, sign=1)
    return parse_moment(value, now=now, name=name)


def parse_age(value: Moment | timedelta, *, now: datetime, name: str) -> datetime:
    """Parse like `parse_moment`. A bare duration ("30 days", a timedelta) counts back from now."""
    if isinstance(value, timedelta):
        return _shifted(now, -min(value, _MAX_AGE), name)
    if isinstance(value, str) and (span := _SPAN.fullmatch(value.strip())) and not span[1]:
        return _span_from(now, span, name, sign=-1)
    return parse_moment(value, now=now, name=name)


def _in_zone(value: datetime, zone: tzinfo | None, name: str) -> datetime:
    """Return a time in UTC. One without a zone is in the given one."""
    aware = value.replace(tzinfo=zone) if value.tzinfo is None else value
    return _shifted(aware, timedelta(0), name)


def _parse_text(text: str, now: datetime, name: str) -> datetime:
    lowered = text.lower()
    if lowered == "now":
        return now.astimezone(UTC)
    if lowered in _NAMED_DAYS:
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
        return _shifted(midnight, timedelta(days=_NAMED_DAYS[lowered]), name)
    if (span := _SPAN.fullmatch(text)) and bool(span[1]) != bool(span[4]):
        return _span_from(now, span, name, sign=-1 if span[4] else 1)
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInputError(f"{name} is not a time: {text!r}", remedy=_ACCEPTED) from None
    return _in_zone(parsed, now.tzinfo, name)


def _span_from(now: datetime, span: re.Match[str], name: str, *, sign: int) -> datetime:
    word = span[3].lower()
    # Only whole words have a plural: "ms" are not minutes.
    unit = _UNITS.get(word.removesuffix("s") if len(word) > 2 else word)
    if unit is None:
        raise InvalidInputError(f"{name} has an unknown unit: {span[0]!r}", remedy=_ACCEPTED)
    amount = {unit: sign * int(span[2])}
    if unit in ("seconds", "minutes", "hours"):
        # Hours count exactly when the clocks change. A day later is the same time of day.
        return _shifted(now.astimezone(UTC), timedelta(**amount), name)
    if unit in ("days", "weeks"):
        return _shifted(now, timedelta(**amount), name)
    from dateutil.relativedelta import relativedelta  # few callers use months and years

    return _shifted(now, relativedelta(**amount), name)  # type: ignore[arg-type]


def _shifted(moment: datetime, by: timedelta, name: str) -> datetime:
    try:
        # Adding zero would lose `fold`, which distinguishes two equal wall-clock times.
        return (moment + by if by else moment).astimezone(UTC)
    except (OverflowError, ValueError):
        raise InvalidInputError(
            f"{name} lies outside the years 1 to 9999", remedy="give a nearer time"
        ) from None


class SystemClock:
    """The clock of the machine, in UTC."""

    def now(self) -> datetime:
        """Return the present time in UTC."""
        return datetime.now(UTC)
