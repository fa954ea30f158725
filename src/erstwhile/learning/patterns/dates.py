"""Read a date as people say it, relative to the time of the message.

The words are in the rule file of the language: months, weekdays, numbers, units and phrases such
as "last week" with their distance from now.
"""

from __future__ import annotations

import re
from calendar import isleap
from dataclasses import dataclass
from datetime import datetime, timedelta

from dateutil.relativedelta import relativedelta

from erstwhile.learning.patterns.language import PatternLanguage

_DAY = timedelta(days=1)
_LEAP = 9
"""The years in which there is a 29 February for sure, also around 1900."""
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_DOTTED = re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(\d{4})?")
_EAST = re.compile(r"(?:(\d{4})\s?[年년]\s?)?(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日号號일])?")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NUMBER = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class SaidDate:
    """A period that a text names: a day, a week, a month or a year."""

    start: datetime
    unit: str
    has_year: bool = True

    @property
    def end(self) -> datetime:
        """The first moment after the period."""
        return self.start + relativedelta(**{f"{self.unit}s": 1})  # type: ignore[arg-type]

    def told(self, language: PatternLanguage, form: str = "") -> str:
        """Return the period in words of the language, or in the given form of its file."""
        names = language.words.get("months")
        month = names[self.start.month - 1].split("|")[0] if names else ""
        fields = {"iso": self.start.date().isoformat(), "year": self.start.year, "month": month}
        fields |= {"number": self.start.month, "day": self.start.day}
        return str(language.words["told"][form or self.unit].format(**fields))


def read_date(
    words: str, language: PatternLanguage, now: datetime, *, past: bool = True
) -> SaidDate | None:
    """Return the date in the words; a weekday or a month without a year is in the past or not."""
    words = words.lower()
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        return (
            _numeric(words, today, past=past)
            or _named_month(words, language, today, past=past)
            or _relative(words, language, today)
            or _weekday(words, language, today, past=past)
            or _year(words, today)
        )
    except (ValueError, OverflowError):  # such as 31 June
        return None


def _numeric(words: str, today: datetime, *, past: bool) -> SaidDate | None:
    if found := _ISO.search(words):
        year, month, day = map(int, found.groups())
        return SaidDate(today.replace(year=year, month=month, day=day), "day")
    if found := _DOTTED.search(words):
        return _dated(found[3], int(found[2]), int(found[1]), today, past=past)
    if found := _EAST.search(words):
        return _dated(found[1], int(found[2]), int(found[3] or 0), today, past=past)
    return None


def _named_month(
    words: str, language: PatternLanguage, today: datetime, *, past: bool
) -> SaidDate | None:
    said = set(_WORD.findall(words))
    months = [names.split("|") for names in language.words.get("months", ())]
    month = next((at for at, names in enumerate(months, 1) if said & set(names)), None)
    if month is None:
        return None
    year = _YEAR.search(words)
    day = _NUMBER.search(_YEAR.sub(" ", words))
    return _dated(year[0] if year else None, month, int(day[0]) if day else 0, today, past=past)


def _dated(
    year: str | None, month: int, day: int, today: datetime, *, past: bool
) -> SaidDate | None:
    """Return a day or a month; without a year, the last one or the next one that there is."""
    unit, now = "day" if day else "month", today.year
    leap = today.replace(year=2000, month=month, day=day or 1)
    if year:
        return SaidDate(leap.replace(year=int(year)), unit)
    for nearest in range(now, now - _LEAP, -1) if past else range(now, now + _LEAP):
        if (month, day) == (2, 29) and not isleap(nearest):
            continue
        found = SaidDate(leap.replace(year=nearest), unit, has_year=False)
        if found.start <= today if past else found.end > today:
            return found
    return None


def _relative(words: str, language: PatternLanguage, today: datetime) -> SaidDate | None:
    if found := language.ago.search(words):
        count, unit = _count(found["count"], language), language.words["units"].get(found["unit"])
        return _begun(_shifted(today, -count, unit)) if count and unit else None
    phrases: dict[str, str] = language.words.get("relative", {})
    phrase = next((each for each in phrases if each in words), None)
    if phrase is None:
        return None
    amount, unit = phrases[phrase].split()
    return _begun(_shifted(today, int(amount), unit))


def _count(words: str, language: PatternLanguage) -> int:
    return int(words) if words.isdigit() else int(language.words["numbers"].get(words, 0))


def _shifted(today: datetime, amount: int, unit: str) -> SaidDate:
    return SaidDate(today + relativedelta(**{f"{unit}s": amount}), unit)  # type: ignore[arg-type]


def _begun(date: SaidDate) -> SaidDate:
    """Return the whole week, month or year around a day."""
    if date.unit == "week":
        return SaidDate(date.start - date.start.weekday() * _DAY, "week")
    if date.unit == "month":
        return SaidDate(date.start.replace(day=1), "month")
    return SaidDate(date.start.replace(month=1, day=1), "year") if date.unit == "year" else date


def _weekday(
    words: str, language: PatternLanguage, today: datetime, *, past: bool
) -> SaidDate | None:
    names = [each.split("|") for each in language.words.get("weekdays", ())]
    spaced = language.words["spaced"]
    said = set(_WORD.findall(words))
    for place, forms in enumerate(names):
        if any((each in said) if spaced else (each in words) for each in forms):
            days = (place - today.weekday()) % 7
            return SaidDate(today + (days - 7 if past else days or 7) * _DAY, "day")
    return None


def _year(words: str, today: datetime) -> SaidDate | None:
    found = _YEAR.search(words)
    return SaidDate(today.replace(year=int(found[0]), month=1, day=1), "year") if found else None
