"""Find the period that a query names: "in May", "last year", "used to", 以前, 去年.

A period does not exclude facts that are true now: people also ask in November about May. It admits
facts that were true then and have ended since, and it ranks facts of that period higher.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from erstwhile.core.time import EPOCH

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH = "|".join(f"{month}|{month[:3]}" for month in _MONTHS)
_YEAR = r"(?:19|20)\d\d"
_IN_MONTH = re.compile(
    rf"\b(?:in|during|since|of|by|early|late|mid|last)\s+({_MONTH})\b\.?(?:\s+of)?,?\s*({_YEAR})?",
    re.IGNORECASE,
)
_DAY_MONTH = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+({_MONTH})\b\.?,?\s*({_YEAR})?"
    rf"|\b({_MONTH})\b\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b,?\s*({_YEAR})?",
    re.IGNORECASE,
)
_ISO = re.compile(rf"\b({_YEAR})-(\d\d)(?:-(\d\d))?\b")
_CHINESE = re.compile(rf"({_YEAR})年(?:(\d{{1,2}})月)?(?:(\d{{1,2}})[日号])?")
_IN_YEAR = re.compile(rf"\b(?:in|during|since|of|by|year)\s+({_YEAR})\b", re.IGNORECASE)
_PAST = re.compile(
    r"\b(used to|previously|formerly|in the past|before that|no longer|originally)\b"
    r"|以前|曾经|之前|过去|原来|以前は|かつて|예전에",
    re.IGNORECASE,
)
_RELATIVE = {
    "yesterday": 1, "last week": 7, "last month": 31, "last year": 366,
    "昨天": 1, "上周": 7, "上个月": 31, "去年": 366,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TimeIntent:
    """The period that a query names; None if it names none."""

    period: tuple[datetime, datetime] | None = None

    def __bool__(self) -> bool:
        return self.period is not None


def read_intent(query: str, now: datetime) -> TimeIntent:
    """Return the period that a query names; words such as "used to" mean the whole past."""
    period = _named(query, now) or _relative(query, now)
    if period is None and _PAST.search(query):
        period = (EPOCH, now)
    return TimeIntent(period)


def _named(query: str, now: datetime) -> tuple[datetime, datetime] | None:
    if found := _ISO.search(query) or _CHINESE.search(query):
        return _span(int(found[1]), found[2], found[3])
    if found := _DAY_MONTH.search(query):
        return _month_span(found[2] or found[4], found[3] or found[6], found[1] or found[5], now)
    if found := _IN_MONTH.search(query):
        return _month_span(found[1], found[2], None, now)
    if found := _IN_YEAR.search(query):
        return _span(int(found[1]), None, None)
    return None


def _month_span(
    name: str, year: str | None, day: str | None, now: datetime
) -> tuple[datetime, datetime] | None:
    """Return the period of a month or a day; without a year, the latest one that has begun."""
    month = next(n for n, full in enumerate(_MONTHS, 1) if full[:3] == name[:3].lower())
    chosen = int(year) if year else now.year - (month > now.month)
    return _span(chosen, str(month), day)


def _span(year: int, month: str | None, day: str | None) -> tuple[datetime, datetime] | None:
    try:
        start = datetime(year, int(month or 1), int(day or 1), tzinfo=UTC)
    except ValueError:
        return None
    if day:
        return start, start + timedelta(days=1)
    if month:
        return start, datetime(year + start.month // 12, start.month % 12 + 1, 1, tzinfo=UTC)
    return start, datetime(year + 1, 1, 1, tzinfo=UTC)


def _relative(query: str, now: datetime) -> tuple[datetime, datetime] | None:
    lowered = query.lower()
    for words, days in _RELATIVE.items():
        if words in lowered:
            midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
            return midnight - timedelta(days=days), midnight
    return None
