"""Find the period that a query names: "in May 2025", "last week", "two months ago", "last spring".

A relative period is wide: "last week" means the seven days before today, and "two months ago" that
whole month. The words are in `dates.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from functools import cache
from itertools import chain
from typing import Any, TypeAlias

from erstwhile.core.time import EPOCH
from erstwhile.search.dates import (
    DateWords,
    date_file,
    date_languages,
    date_words,
    first_of,
    read_date,
    shifted,
)

Period: TypeAlias = tuple[datetime, datetime]

_YEAR, _DAY = r"(?:19|20)\d\d", r"\d{1,2}(?:st|nd|rd|th)?"
_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}
"""The days before today that the last unit means."""
_SEASON = 3
"""The months of a season."""
_SPRING = 3
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")


def named_period(query: str, now: datetime) -> Period | None:
    """Return start and end of the period that a query names.

    Words such as "used to" stand for the whole past.
    """
    lowered = query.lower()
    readers: tuple[Callable[[_Phrases], Period | None], ...] = (
        lambda language: language.dated(query, now),
        lambda language: language.last(lowered, now),
        lambda language: language.since(lowered, now),
        lambda language: language.ago(lowered, now),
        lambda language: language.recent(lowered, now),
    )
    letters = frozenset(_LETTERS.findall(lowered))
    languages = [each for each in _languages() if each.may_name(lowered, letters)]
    found = (read(language) for read in readers for language in languages)
    try:
        period = next(filter(None, found), None)
    except (ValueError, OverflowError):  # such as 9999 years ago
        period = None
    return period or ((EPOCH, now) if _past_words().search(query) else None)


class _Phrases:
    """The phrases for periods of one language."""

    def __init__(self, given: Mapping[str, Any], words: DateWords) -> None:
        self._words = words
        patterns = _date_patterns(words, given.get("before_month"))
        self._dates = tuple(re.compile(each, re.IGNORECASE) for each in patterns)
        self._since = re.compile(given["past"])
        self._mark = re.compile(given.get("mark", "."))
        self._last_day, self._last_season = (
            re.compile(
                given["last"].replace("{name}", "|".join(chain.from_iterable(names)) or "(?!)")
            )
            for names in (words.weekdays, _forms(given["seasons"]))
        )
        self._seasons = _forms(given["seasons"])
        self._past = {
            phrase: _DAYS[unit.split()[1]] * -int(unit.split()[0])
            for phrase, unit in words.relative.items()
            if unit.startswith("-")
        }
        spaced = words.months[0][0].isalpha()  # else its words have no spaces around them
        begin, end = (r"(?<![^\W\d_])", r"(?![^\W\d_])") if spaced else ("", "")
        phrases = "|".join(sorted(self._past, key=len, reverse=True))
        self._recent = re.compile(f"{begin}(?:{phrases}){end}")
        forms = chain(*words.months, *words.weekdays, *self._seasons, words.units, self._past)
        names = {form.lower() for form in forms}
        self._first_words = {_LETTERS.findall(name)[0] for name in names if spaced}
        self._unspaced = () if spaced else tuple(names)

    def may_name(self, lowered: str, letters: Collection[str]) -> bool:
        """Return whether a text has a digit, or a word of which each period without one has one.

        Most texts have neither, and searching for all patterns takes a hundred times as long.
        """
        return bool(
            not self._first_words.isdisjoint(letters)
            or any(name in lowered for name in self._unspaced)
            or _DIGIT.search(lowered)
        )

    def dated(self, query: str, now: datetime) -> Period | None:
        """Return a day, month or year by its name or number."""
        for pattern in self._dates:
            if found := pattern.search(query):
                date = read_date(found[0], self._words, now)
                return None if date is None else (date.start, date.end)
        return None

    def last(self, text: str, now: datetime) -> Period | None:
        """Return the last day of a name, such as "last Wednesday", or the last season."""
        if found := self._last_season.search(text):
            at = next(
                at
                for at, names in enumerate(self._seasons)
                if any(map(found[0].__contains__, names))
            )
            return _last_season(_SPRING + at * _SEASON, now)
        found = self._last_day.search(text)
        date = found and read_date(found[0], self._words, now)
        return (date.start, date.end) if date else None

    def since(self, text: str, now: datetime) -> Period | None:
        """Return the time since so many units, such as "in the past month"."""
        if not (found := self._since.search(text)):
            return None
        amount = self._amount(found["count"] or "1")
        unit = self._words.units.get(found["unit"])
        days = amount * _DAYS[unit] if amount and unit else 0
        return (_midnight(now) - timedelta(days), now) if days else None

    def ago(self, text: str, now: datetime) -> Period | None:
        """Return the unit that is so many units ago."""
        found = self._words.ago and self._words.ago.search(text)
        if not found or not (unit := self._words.units.get(found["unit"])):
            return None
        if not (amount := self._amount(found["count"])):
            return None
        date = shifted(_midnight(now), -amount, unit)
        return date.start, min(date.end, now)

    def recent(self, text: str, now: datetime) -> Period | None:
        """Return the days before today that a phrase such as "last week" means."""
        found = self._recent.search(text)
        if found is None or not self._mark.search(text):
            return None
        midnight = _midnight(now)
        return midnight - timedelta(self._past[found[0]]), midnight

    def _amount(self, count: str) -> int:
        return int(count) if count.isdecimal() else self._words.numbers.get(count, 0)


def _last_season(month: int, now: datetime) -> Period:
    """Return the last season that begins in this month and is over, or nearly so."""
    start = _midnight(now).replace(day=1, month=(month - 1) % 12 + 1)
    while first_of(start, months=_SEASON) > now:
        start = start.replace(year=start.year - 1)
    return start, first_of(start, months=_SEASON)


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _forms(names: list[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(each.split("|")) for each in names)


@cache
def _languages() -> tuple[_Phrases, ...]:
    return tuple(_Phrases(date_file()[name], date_words(name)) for name in date_languages())


def _date_patterns(words: DateWords, before: str | None) -> tuple[str, ...]:
    """Return patterns for dates: the more exact ones come first."""
    if before is None:  # months have numbers
        day = r"\d{1,2}[月월](?:\s?\d{1,2}[日号號일])?"
        return (rf"{_YEAR}\s?[年년]\s?(?:{day})?", r"(?<![\d.])\d{1,2}月\d{1,2}[日号號]")
    month = "|".join(chain.from_iterable(words.months))
    of = r"(?:de\s+|del\s+|,\s*)?"
    return (
        rf"\b{_YEAR}-\d\d(?:-\d\d)?\b",
        rf"\b{_DAY}\.?\s+{of}(?:{month})\b\.?(?:,?\s*{of}{_YEAR})?",
        rf"\b(?:{month})\b\.?\s+{_DAY}\b(?:,?\s*{_YEAR})?",
        rf"\b(?:{before})\s+(?:{month})\b\.?(?:(?:\s+(?:of|del?))?,?\s*{_YEAR})?",
        rf"\b(?:{before}|{date_file()['query']['before_year']})\s+{_YEAR}\b",
    )


@cache
def _past_words() -> re.Pattern[str]:
    return re.compile(date_file()["query"]["past"].replace("\n", ""), re.IGNORECASE)
