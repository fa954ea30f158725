"""Find the period that a query names: "in May 2025", "last week", "two months ago", "last spring".

A relative period is wide: "last week" means that week and the seven days before today, and "two
months ago" that whole month. The words are in `dates.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from functools import cache
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from erstwhile.core.fork_safety import cached_property
from erstwhile.core.time import EPOCH
from erstwhile.search.dates import (
    DatePeriod,
    DateWords,
    date_file,
    date_languages,
    date_words,
    first_of,
    names_of_days_and_months,
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
_EVENT = r"\w[^?!.,;？！。，、；]{1,79}"
_DATE_FORMS = 6
"""The number of forms of a date, the most exact ones first. A form of any language comes before the
next one, or the year alone of one language would hide a day in another."""
_DATE_MARK = "\0"
"""The place of a date in a question."""
_LONGEST_QUESTION = 300
"""A longer text is hardly a question about one event."""
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_YEAR_ALONE, _DAY_ALONE = re.compile(_YEAR), re.compile(rf"{_DAY}\.?")


def named_period(query: str, now: datetime) -> Period | None:
    """Return start and end of the period that a query names.

    Words such as "used to" stand for the whole past.
    """
    lowered = query.lower()
    readers: tuple[Callable[[_Phrases], Period | None], ...] = (
        lambda language: language.between(lowered, now),
        *(
            lambda language, exact=exact: language.dated(query, now, exact)
            for exact in range(_DATE_FORMS)
        ),
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


class EventBound(NamedTuple):
    """An event that a query names, at which the period of the query ends or begins."""

    words: str
    is_end: bool


def named_event(query: str) -> EventBound | None:
    """Return the event in "before I moved" or "since the wedding"; None for a long text."""
    lowered = query.lower()
    if len(query) > _LONGEST_QUESTION or not _event_words().search(lowered):
        return None
    found = ((pattern.search(lowered), is_end) for pattern, is_end in _event_patterns())
    events = (EventBound(each["event"], is_end) for each, is_end in found if each)
    return next((event for event in events if not _begins_with_date(event.words)), None)


def _begins_with_date(words: str) -> bool:
    return bool(_DIGIT.search(words)) or words.split()[0] in names_of_days_and_months()


class _Patterns(NamedTuple):
    """The patterns for periods of one language."""

    dates: tuple[re.Pattern[str], ...]
    range: re.Pattern[str]
    leading: re.Pattern[str]
    since: re.Pattern[str]
    mark: re.Pattern[str]
    last_day: re.Pattern[str]
    last_season: re.Pattern[str]
    recent: re.Pattern[str]


class _Phrases:
    """The phrases for periods of one language."""

    def __init__(self, given: Mapping[str, Any], words: DateWords) -> None:
        self._words = words
        self._given = given
        self._seasons = _forms(given["seasons"])
        self._past = {
            phrase: (-int(amount), unit)
            for phrase, (amount, unit) in (
                (each, shift.split()) for each, shift in words.relative.items()
            )
            if amount.startswith("-") or (amount == "0" and unit != "day")
        }
        self._is_spaced = words.months[0][0].isalpha()  # else its words have no spaces around them
        forms = chain(*words.months, *words.weekdays, *self._seasons, words.units, self._past)
        names = {form.lower() for form in forms}
        self._first_words = {_LETTERS.findall(name)[0] for name in names if self._is_spaced}
        self._unspaced = () if self._is_spaced else tuple(names)

    @cached_property
    def _patterns(self) -> _Patterns:
        """Compile the patterns once they are needed: for all languages it takes 30 ms."""
        given, before = self._given, self._given.get("before_month")
        dates = _date_patterns(self._words, before, "|".join(given["seasons"]))
        side = _side_of_range(self._words, before)
        last_day, last_season = (
            given["last"].replace("{name}", "|".join(chain.from_iterable(names)) or "(?!)")
            for names in (self._words.weekdays, self._seasons)
        )
        phrases = "|".join(sorted(self._past, key=len, reverse=True))
        begin, end = (r"(?<![^\W\d_])", r"(?![^\W\d_])") if self._is_spaced else ("", "")
        return _Patterns(
            dates=tuple(re.compile(each, re.IGNORECASE) for each in dates),
            range=re.compile(
                given["range"].format(first=f"(?P<first>{side})", last=f"(?P<last>{side})")
            ),
            leading=re.compile(rf"^(?:{before or '(?!)'})\s+", re.IGNORECASE),
            since=re.compile(given["past"]),
            mark=re.compile(given.get("mark", ".")),
            last_day=re.compile(last_day),
            last_season=re.compile(last_season),
            recent=re.compile(f"{begin}(?:{phrases}){end}"),
        )

    def may_name(self, lowered: str, letters: Collection[str]) -> bool:
        """Return whether a text has a digit, or a word of which each period without one has one.

        Most texts have neither, and searching for all patterns takes a hundred times as long.
        """
        return bool(
            not self._first_words.isdisjoint(letters)
            or any(name in lowered for name in self._unspaced)
            or _DIGIT.search(lowered)
        )

    def between(self, text: str, now: datetime) -> Period | None:
        """Return the period of "between March and May 2025" or "from 3 to 7 March"."""
        found = self._patterns.range.search(text)
        last = found and read_date(found["last"], self._words, now)
        if not found or not last:
            return None
        given, named = found["first"], _YEAR_ALONE.search(found["first"])
        if _DAY_ALONE.fullmatch(given):  # its month is that of the end
            given = f"{given} {' '.join(_LETTERS.findall(found['last']))}"
        if named and not last.has_year:
            last = self._in_year(found["last"], int(named[0]), now)
        first = read_date(given, self._words, now) if named else self._until(last, given, now)
        return (first.start, last.end) if first and last and first.start < last.end else None

    def _until(self, last: DatePeriod | None, date: str, now: datetime) -> DatePeriod | None:
        """Return a date without a year, in the last year in which it is not after another one."""
        years = (last.start.year, last.start.year - 1) if last else ()
        read = (self._in_year(date, year, now) for year in years)
        return next((each for each in read if each and last and each.start <= last.start), None)

    def _in_year(self, date: str, year: int, now: datetime) -> DatePeriod | None:
        dated = f"{year}年{date}" if self._unspaced else f"{date} {year}"
        return read_date(dated, self._words, now)

    def dated(self, query: str, now: datetime, exact: int) -> Period | None:
        """Return a day, month or year by its name or number, in one of the forms of a date."""
        dates = self._patterns.dates
        found = dates[exact].search(query) if exact < len(dates) else None
        date = found and read_date(found[0], self._words, now)
        return self._bounded(found, date, now) if found and date else None

    def _bounded(self, found: re.Match[str], date: DatePeriod, now: datetime) -> Period:
        """Return a date, or the period that ends before it or begins with it."""
        begin = found.end() - len(self._patterns.leading.sub("", found[0]))
        marked = f"{found.string[:begin]}{_DATE_MARK}{found.string[found.end() :]}"
        if _date_bound("from_date").search(marked):
            return date.start, max(date.end, now)
        until = _date_bound("until_date").search(marked)
        if until is None:
            return date.start, date.end
        days = self._days_at_end(marked[: until.start()].lower())
        return (date.start - timedelta(days) if days else EPOCH), date.start

    def _days_at_end(self, text: str) -> int:
        """Return the days of the duration at the end of a text, such as "two weeks"."""
        *_, count, last = ["", "", *text.split()]
        if any(last in forms for forms in self._words.weekdays):
            return 7
        unit = self._words.units.get(last)
        return (self._amount(count) or 1) * _DAYS[unit] if unit else 0

    def last(self, text: str, now: datetime) -> Period | None:
        """Return the last day of a name, such as "last Wednesday", or the last season."""
        if found := self._patterns.last_season.search(text):
            at = next(
                at
                for at, names in enumerate(self._seasons)
                if any(map(found[0].__contains__, names))
            )
            return _last_season(_SPRING + at * _SEASON, now)
        found = self._patterns.last_day.search(text)
        date = found and read_date(found[0], self._words, now)
        return (date.start, date.end) if date else None

    def since(self, text: str, now: datetime) -> Period | None:
        """Return the time since so many units, such as "in the past month"."""
        if not (found := self._patterns.since.search(text)):
            return None
        amount = self._amount(found["count"] or "1")
        unit = self._words.units.get(found["unit"])
        days = amount * _DAYS[unit] if amount and unit else 0
        return (_midnight(now) - timedelta(days), now) if days else None

    def ago(self, text: str, now: datetime) -> Period | None:
        """Return the unit that is so many units ago."""
        found = re.search(self._words.ago, text)
        if not found or not (unit := self._words.units.get(found["unit"])):
            return None
        if not (amount := self._amount(found["count"])):
            return None
        date = shifted(_midnight(now), -amount, unit)
        return date.start, min(date.end, now)

    def recent(self, text: str, now: datetime) -> Period | None:
        """Return the days before today that a phrase such as "last week" means, or "this week"."""
        found = self._patterns.recent.search(text)
        if found is None or not self._patterns.mark.search(text):
            return None
        midnight, (amount, unit) = _midnight(now), self._past[found[0]]
        if amount == 0:
            return (date := shifted(midnight, 0, unit)).start, date.end
        start = midnight - timedelta(amount * _DAYS[unit])
        return min(start, shifted(midnight, -amount, unit).start), midnight

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


def _date_patterns(words: DateWords, before: str | None, seasons: str) -> tuple[str, ...]:
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
        rf"(?<!\d )\b(?:{month})\b\.?,?\s+{of}{_YEAR}\b",
        rf"\b(?:{before}|{seasons}|{date_file()['query']['before_year']})\s+{_YEAR}\b",
    )


def _side_of_range(words: DateWords, before: str | None) -> str:
    """Return a pattern for a date at the beginning or the end of a range, in lower case."""
    if before is None:
        return (
            rf"(?:{_YEAR}\s?[年년]\s?)?\d{{1,2}}[月월](?:\s?\d{{1,2}}[日号號일])?|{_YEAR}\s?[年년]"
        )
    month = "|".join(form.lower() for form in chain.from_iterable(words.months))
    of = r"(?:of\s+|del?\s+|,\s*)?"
    day = rf"(?:{_DAY}\.?\s+{of})?(?:{month})\b\.?(?:\s+{_DAY}\b)?(?:,?\s*{of}{_YEAR})?"
    return rf"{day}|{_YEAR}(?:-\d\d){{0,2}}|{_DAY}\b\.?"


@cache
def _date_bound(name: str) -> re.Pattern[str]:
    """Return a pattern for the words at a date, in all languages: they share names of months."""
    forms = "|".join(date_file()[language][name] for language in date_languages())
    return re.compile(forms.replace("{date}", _DATE_MARK), re.IGNORECASE)


@cache
def _event_patterns() -> tuple[tuple[re.Pattern[str], bool], ...]:
    return tuple(
        (re.compile(pattern.replace("{event}", _EVENT)), is_end)
        for pattern, is_end in _event_forms()
    )


@cache
def _event_words() -> re.Pattern[str]:
    """Return a pattern for the words beside an event, without which there is none."""
    forms = "|".join(pattern for pattern, _ in _event_forms())
    return re.compile(forms.replace("(?P<event>{event})", "").replace("(?P<event>{event}?)", ""))


def _event_forms() -> list[tuple[str, bool]]:
    return [
        (date_file()[language][f"{name}_event"], is_end)
        for language in date_languages()
        for name, is_end in (("before", True), ("after", False))
    ]


@cache
def _past_words() -> re.Pattern[str]:
    return re.compile(date_file()["query"]["past"].replace("\n", ""), re.IGNORECASE)
