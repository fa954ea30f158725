"""Compare the dates of a proposal with the times of a turn, as the calendar of that day has them.

"Until Friday" becomes a date. Such a date was said, although its digits were not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache

from erstwhile.learning.grounding.figures import said_numbers
from erstwhile.learning.grounding.word_lists import (
    any_word,
    in_own_letters,
    listed,
    plain,
    rank_of,
    ranked,
)

_NEAR = timedelta(days=3)
"""The farthest day that words such as "yesterday" name."""
_NEXT = timedelta(days=31)
"""The farthest day that the number of a day names: "until the 15th"."""
_WEEKDAY = timedelta(days=14)
"""The farthest day that the name of a weekday or the word for a week names."""
_MONTHS = timedelta(days=62)
"""The farthest day that words such as "next month" name."""
_SPANS = timedelta(days=400)
"""The farthest day that words such as "last year" or "in spring" name."""
_LENGTHS = {"day": (1, 1), "week": (7, 3), "month": (30.44, 4), "year": (365.25, 4)}
"""The days of each unit, and how far a day may be from the one that is computed."""
_MOST_UNITS = 500
_AGE = 13
"""The distance in years from which a number alone may be an age: "I'm 34"."""
_AMBIGUOUS = frozenset({"may", "mar", "mars", "mart", "mon", "sat", "sun", "wed", "jan", "ocak"})
"""Names of months and days that are also other words: they count with a capital letter only."""
_ENDING = r"(?:s|['’]?[dt][ae]n?)?"
"""The plural, and the cases of Turkish for a time: eylülde, eylülden."""
_ORDINAL = r"(?:st|nd|rd|th|er|[.ºª])?"
_WRITTEN = re.compile(
    r"(?P<iso>\d{4}-\d\d(?:-\d\d)?)(?:T[\d:.]{1,20}Z?)?"
    r"|(?P<numeric>(?<![\d.])\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d\d)(?![\d.]))"
    r"|(?P<ideographic>(?:\d{4}年)?\d{1,2}月(?:\d{1,2}[日号])?|\d{4}年)"
    r"|(?P<year>(?<![\d.,:/-])(?:19|20)\d\d(?![\d:/-]|[.,]\d))"
)


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date in a text, as far as it is given."""

    text: str
    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None

    def days(self, said_at: date) -> tuple[date, date] | None:
        """Return its first and last day; None if the calendar does not have it."""
        year = self.year or said_at.year
        try:
            if self.month is None:
                return date(year, 1, 1), date(year, 12, 31)
            first = date(year, self.month, self.day or 1)
        except ValueError:
            return None
        return first, first if self.day else first + timedelta(days=27)


def dates_in(text: str) -> tuple[list[WrittenDate], str]:
    """Return the dates of a text, and the text with spaces in their places."""
    found = list[WrittenDate]()

    def read(match: re.Match[str]) -> str:
        dates = [*_read(match)]
        found.extend(dates)
        return " " * len(match[0]) if dates else match[0]

    rest = _WRITTEN.sub(read, _worded().sub(read, text))
    return found, rest


def day_of(moment: datetime) -> WrittenDate:
    """Return the day of a moment."""
    return WrittenDate(f"{moment:%Y-%m-%d}", moment.year, moment.month, moment.day)


def has_day_ahead(text: str, said_at: datetime) -> bool:
    """Return whether a text names a day after that of the turn."""
    days = (each.days(said_at.date()) for each in dates_in(text)[0] if each.day)
    return any(each[0] > said_at.date() for each in days if each)


@dataclass(frozen=True)
class SaidTimes:
    """The times that a text names, on the day of its turn."""

    day: date
    numbers: frozenset[str]
    months: frozenset[int]
    weekdays: frozenset[int]
    near: bool
    spans: bool
    holiday: bool
    units: frozenset[str]

    @classmethod
    def of(cls, text: str, said_at: datetime, language: str) -> SaidTimes:
        """Return the times of a text in a language."""
        words = plain(text)
        return cls(
            day=said_at.date(),
            numbers=said_numbers(text, language),
            months=frozenset(rank + 1 for rank in _ranks("months", words)),
            weekdays=_ranks("weekdays", words),
            near=_time_word("near").search(words) is not None,
            spans=_time_word("span").search(words) is not None,
            holiday=_time_word("holiday").search(words) is not None,
            units=frozenset(name for name in _LENGTHS if _unit(name).search(words)),
        )

    def tell(self, named: WrittenDate) -> bool:
        """Return whether the text names this date, or a time that it can be computed from."""
        if named.weekday is not None:
            return named.weekday in self.weekdays or self.near or self._has_day_on(named.weekday)
        return self._names_parts(named) or self._leads_to(named)

    def _has_day_on(self, weekday: int) -> bool:
        """Return whether a number in the text is a day near by that is on this weekday."""
        around = range(-_NEXT.days, _NEXT.days + 1)
        days = (self.day + timedelta(days=apart) for apart in around)
        return any(str(day.day) in self.numbers for day in days if day.weekday() == weekday)

    def _names_parts(self, named: WrittenDate) -> bool:
        """Return whether the parts are in the text; a year may be that of the turn."""
        year, month = named.year, named.month
        if year is not None and not self._names_year(year):
            return month is not None and abs(year - self.day.year) <= 1 and self._names_day(named)
        return month is None or self._names_day(named)

    def _names_day(self, named: WrittenDate) -> bool:
        month_said = named.month in self.months or str(named.month) in self.numbers
        return month_said and (named.day is None or str(named.day) in self.numbers)

    def _names_year(self, year: int) -> bool:
        return not self.numbers.isdisjoint({str(year), str(year % 100)})

    def _leads_to(self, named: WrittenDate) -> bool:
        days = named.days(self.day)
        if days is None:
            return False
        if named.month is None:
            near = self.spans and abs(days[0].year - self.day.year) <= 1
            return near or self._is_year_of_age(days[0].year)
        if self.near and self._is_within(days, _NEAR):
            return True
        if self._is_counted(days) or (self.spans and self._is_of_period(days, named)):
            return True
        if named.day is not None:
            told = days[0].weekday() in self.weekdays and self._is_within(days, _WEEKDAY)
            return told or (str(named.day) in self.numbers and self._is_within(days, _NEXT))
        return bool(self.weekdays) and self._is_within(days, _NEXT)

    def _is_counted(self, days: tuple[date, date]) -> bool:
        """Return whether a number of days, weeks, months or years leads to the date."""
        counts = [int(each) for each in self.numbers if each.isdecimal() and len(each) < 4]
        apart = sorted(abs((each - self.day).days) for each in days)
        return any(
            apart[0] - slack <= count * length <= apart[1] + slack
            for length, slack in map(_LENGTHS.__getitem__, self.units)
            for count in counts
            if 0 < count <= _MOST_UNITS
        )

    def _is_of_period(self, days: tuple[date, date], named: WrittenDate) -> bool:
        """Return whether a period such as "next month" has the date, or begins or ends with it."""
        if self.holiday and self._is_within(days, _SPANS):
            return True
        if "week" in self.units and self._is_within(days, _WEEKDAY):
            return True
        if named.day is None:
            return self._is_within(days, _SPANS)
        at_edge = named.day == 1 or (days[0] + timedelta(days=1)).day == 1
        return at_edge and self._is_within(days, _MONTHS if "month" in self.units else _SPANS)

    def _is_within(self, days: tuple[date, date], distance: timedelta) -> bool:
        first, last = days
        return first - distance <= self.day <= last + distance

    def _is_year_of_age(self, year: int) -> bool:
        """Return whether a number in the text is the distance of the years, or an age."""
        apart = abs(self.day.year - year)
        if apart < _AGE and not self.spans:
            return False
        return not self.numbers.isdisjoint({str(apart), str(apart - 1)})


def _read(match: re.Match[str]) -> Iterator[WrittenDate]:
    text, parts = match[0], [int(each) for each in re.findall(r"\d+", match[0])]
    match match.lastgroup:
        case "iso":
            yield WrittenDate(text, *parts[:3])
        case "numeric":
            day, month, year = parts if parts[1] <= 12 else (parts[1], parts[0], parts[2])
            yield WrittenDate(text, year + 2000 if year < 100 else year, month, day)
        case "ideographic":
            yield _ideographic(text, parts)
        case "year":
            yield WrittenDate(text, parts[0])
        case _:
            yield from _read_words(match)


def _ideographic(text: str, parts: list[int]) -> WrittenDate:
    year = parts.pop(0) if "年" in text else None
    month, day, *_ = (*parts, None, None)
    return WrittenDate(text, year, month, day)


def _read_words(match: re.Match[str]) -> Iterator[WrittenDate]:
    name = match["weekday"] or match["name"]
    if name.islower() and name in _AMBIGUOUS:
        return
    if match["weekday"]:
        yield WrittenDate(match[0], weekday=rank_of("weekdays", name))
        return
    day, year, rank = match["before"] or match["after"], match["of"], rank_of("months", name)
    month = None if rank is None else rank + 1
    yield WrittenDate(match[0], int(year) if year else None, month, int(day) if day else None)


@cache
def _worded() -> re.Pattern[str]:
    """Return a pattern for weekdays, and for months with the numbers beside them."""
    months, weekdays = (_written_names(each) for each in ("months", "weekdays"))
    return re.compile(
        rf"(?P<weekday>{weekdays})\.?"
        rf"|(?:(?<!\d)(?P<before>\d{{1,2}}){_ORDINAL} (?:of |de |d')?)?(?P<name>{months})\.?"
        rf"(?: (?P<after>\d{{1,2}}){_ORDINAL}(?![\d:]))?"
        r"(?:,? (?:de |del )?(?P<of>\d{4})(?![\d-]))?",
        re.IGNORECASE,
    )


def _written_names(group: str) -> str:
    names = (name for name in in_own_letters(group) if not name[0].isdigit())
    return any_word(names, ending=_ENDING)


@cache
def _names(group: str) -> re.Pattern[str]:
    return re.compile(any_word(ranked(group), ending=_ENDING))


def _ranks(group: str, words: str) -> frozenset[int]:
    found = (rank_of(group, each) for each in _names(group).findall(words))
    return frozenset(rank for rank in found if rank is not None)


@cache
def _unit(name: str) -> re.Pattern[str]:
    return re.compile(any_word(listed("units", name)))


@cache
def _time_word(kind: str) -> re.Pattern[str]:
    return re.compile(any_word(listed("times", kind)))
