"""Read dates as people write them: 2024-05-07, "7 May", "last week", "3 days ago", 2024年5月.

`read_date` reads the date in a phrase of one language; `periods.py` finds such phrases in queries.
The words of each language are in `dates.toml`.
"""

from __future__ import annotations

import re
import tomllib
from calendar import isleap
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

_DAY = timedelta(days=1)
_LEAP_CYCLE = 9
"""Years that contain a 29 February in any case, also around 1900."""
_Y, _M, _D = r"(?P<year>\d{4})", r"(?P<month>\d{1,2})", r"(?P<day>\d{1,2})"
_NUMERIC = (
    re.compile(rf"\b{_Y}-{_M}(?:-{_D})?\b"),
    re.compile(rf"\b{_D}\.{_M}\.{_Y}?"),
    re.compile(rf"(?:{_Y}\s?[年년]\s?)?{_M}\s?[月월](?:\s?{_D}\s?[日号號일])?"),
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NUMBER = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class DatePeriod:
    """A day, week, month or year."""

    start: datetime
    unit: str
    has_year: bool = True
    """Whether the text names the year; if not, it is the nearest one that fits."""

    @property
    def end(self) -> datetime:
        """The first moment after the period."""
        if self.unit in ("day", "week"):
            return self.start + (_DAY if self.unit == "day" else 7 * _DAY)
        return first_of(self.start, months=1 if self.unit == "month" else 12)


@dataclass(frozen=True, slots=True)
class DateWords:
    """The words of dates in one language."""

    months: tuple[tuple[str, ...], ...] = ()
    """The forms of each name from January on; the first is the one to show."""
    weekdays: tuple[tuple[str, ...], ...] = ()
    """The forms of each name from Monday on."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    relative: Mapping[str, str] = field(default_factory=dict)
    """Phrases such as "last week", each with an amount and a unit, such as "-1 week"."""
    ago: str = "(?!)"
    """The pattern of a duration up to now, with the groups `count` and `unit`."""


@cache
def date_words(language: str) -> DateWords:
    """Return the words of a language such as "english"; no words if it is unknown."""
    given = date_file().get(language)
    if given is None:
        return DateWords()
    return DateWords(
        months=tuple(tuple(names.split("|")) for names in given["months"]),
        weekdays=tuple(tuple(names.split("|")) for names in given.get("weekdays", ())),
        numbers=given["numbers"],
        units=given["units"],
        relative=given["relative"],
        ago=given["ago"],
    )


@cache
def names_of_days_and_months() -> frozenset[str]:
    """Return the names of weekdays and months in all languages, in lower case."""
    every = [date_words(name) for name in date_languages()]
    names = [forms for words in every for forms in (*words.months, *words.weekdays)]
    return frozenset(form.lower() for forms in names for form in forms)


def read_date(
    text: str, words: DateWords, now: datetime, *, past: bool = True
) -> DatePeriod | None:
    """Return the date in a phrase, or None if there is none or the calendar does not have it.

    A weekday, or a date without a year, is the last one up to now; with `past=False`, the next one.
    """
    text = text.lower()
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        return (
            _numeric(text, today, past=past)
            or _with_month_name(text, words, today, past=past)
            or _relative(text, words, today)
            or _weekday(text, words, today, past=past)
            or _year(text, today)
        )
    except (ValueError, OverflowError):  # such as 31 June
        return None


def _numeric(text: str, today: datetime, *, past: bool) -> DatePeriod | None:
    found = next(filter(None, (pattern.search(text) for pattern in _NUMERIC)), None)
    if found is None:
        return None
    return _dated(found["year"], int(found["month"]), int(found["day"] or 0), today, past=past)


def _with_month_name(
    text: str, words: DateWords, today: datetime, *, past: bool
) -> DatePeriod | None:
    said = set(_WORD.findall(text))
    month = next((at for at, names in enumerate(words.months, 1) if said & set(names)), None)
    if month is None:
        return None
    year, day = _YEAR.search(text), _NUMBER.search(_YEAR.sub(" ", text))
    return _dated(year[0] if year else None, month, int(day[0]) if day else 0, today, past=past)


def _dated(
    year: str | None, month: int, day: int, today: datetime, *, past: bool
) -> DatePeriod | None:
    """Return a day, or a month if `day` is 0; without a year, the last or the next one."""
    unit = "day" if day else "month"
    in_leap_year = today.replace(year=2000, month=month, day=day or 1)
    if year:
        return DatePeriod(in_leap_year.replace(year=int(year)), unit)
    step = -1 if past else 1
    for nearest in range(today.year, today.year + step * _LEAP_CYCLE, step):
        if (month, day) == (2, 29) and not isleap(nearest):
            continue
        found = DatePeriod(in_leap_year.replace(year=nearest), unit, has_year=False)
        if found.start <= today if past else found.end > today:
            return found
    return None


def _relative(text: str, words: DateWords, today: datetime) -> DatePeriod | None:
    if found := re.search(words.ago, text):
        count, unit = found["count"], words.units.get(found["unit"])
        amount = int(count) if count.isdigit() else words.numbers.get(count, 0)
        return shifted(today, -amount, unit) if amount and unit else None
    phrase = next((each for each in words.relative if each in text), None)
    if phrase is None:
        return None
    shift, unit = words.relative[phrase].split()
    return shifted(today, int(shift), unit)


def shifted(today: datetime, amount: int, unit: str) -> DatePeriod:
    """Return the day, or the whole week, month or year, so many units from today."""
    if unit == "day":
        return DatePeriod(today + amount * _DAY, unit)
    if unit == "week":
        return DatePeriod(today + (7 * amount - today.weekday()) * _DAY, unit)
    if unit == "month":
        return DatePeriod(first_of(today, months=amount), unit)
    return DatePeriod(today.replace(year=today.year + amount, month=1, day=1), unit)


def first_of(moment: datetime, *, months: int) -> datetime:
    """Return the first day of the month so many months later."""
    years, month = divmod(moment.month - 1 + months, 12)
    return moment.replace(year=moment.year + years, month=month + 1, day=1)


def _weekday(text: str, words: DateWords, today: datetime, *, past: bool) -> DatePeriod | None:
    said = set(_WORD.findall(text))
    for place, forms in enumerate(words.weekdays):
        if said.intersection(forms):
            days = (place - today.weekday()) % 7
            return DatePeriod(today + (days - 7 if past else days or 7) * _DAY, "day")
    return None


def _year(text: str, today: datetime) -> DatePeriod | None:
    found = _YEAR.search(text)
    return DatePeriod(today.replace(year=int(found[0]), month=1, day=1), "year") if found else None


def date_languages() -> list[str]:
    """Return the languages whose dates are known."""
    return [name for name in date_file() if name != "query"]


@cache
def date_file() -> Mapping[str, Any]:
    """Return the content of `dates.toml`."""
    return tomllib.loads(Path(__file__).with_name("dates.toml").read_text("utf-8"))
