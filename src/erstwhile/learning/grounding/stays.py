"""A temporary place is a state with an end, and no home."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, time, timedelta

from erstwhile.core.kinds import Kind
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.dates import WrittenDate, dates_in
from erstwhile.learning.grounding.word_lists import listed, numerals, plain
from erstwhile.learning.moods import is_temporary
from erstwhile.learning.patterns.dates import end

_OF_PLACES = frozenset({"home", "timezone"})
"""The keys that a stay somewhere else does not change."""
_DAY = timedelta(days=1)
_LONGEST = {"day": _DAY, "week": 7 * _DAY, "month": 31 * _DAY}
_UNSPACED = re.compile(
    r"(?P<count>\d{1,2}|[一二三四五六七八九十]) ?"
    r"(?:(?P<day>日間|일)|(?P<week>週間|주)|(?P<month>[かヶカ]月|개월))"
)
_COUNTS = {sign: at for at, sign in enumerate("一二三四五六七八九十", 1)}


def as_stay(candidate: Candidate, words: str, said_at: datetime) -> Candidate:
    """Return a proposed home as a state, if the words that it rests on speak of a stay.

    "The user lives in Paris" says too much, so it is told in the user's own words.
    """
    if candidate.ends or candidate.key not in _OF_PLACES or not is_temporary(words):
        return candidate
    return replace(
        candidate,
        text=candidate.text if is_temporary(candidate.text) else f'The user said: "{words}"',
        kind=Kind.STATE,
        key=None,
        value=None,
        expires_at=candidate.expires_at or end_of_stay(words, said_at),
        replaces=(),
        instead_of=(),
    )


def end_of_stay(words: str, said_at: datetime) -> datetime | None:
    """Return the first moment after the stay that the words name; None if they name no end."""
    today = datetime.combine(said_at, time(), said_at.tzinfo)
    if not is_temporary(words):
        return None
    named = [over for each in dates_in(words)[0] if (over := _after(each, today))]
    if named:
        return max(named)
    return next(_lengths(words, today), None) or end(words, said_at)


def _after(named: WrittenDate, today: datetime) -> datetime | None:
    """Return the midnight after a day, at the next time that the calendar has it."""
    if named.weekday is not None:
        return today + ((named.weekday - today.weekday()) % 7 or 7) * _DAY + _DAY
    days = named.days(today.date())
    if days is None or named.month is None:
        return None
    over = datetime.combine(days[1], time(), today.tzinfo) + _DAY
    return over.replace(year=over.year + 1) if over <= today and named.year is None else over


def _lengths(words: str, today: datetime) -> Iterator[datetime]:
    """Yield the ends of durations and periods: "for two weeks", "this week"."""
    before = ""
    for word in re.findall(r"\w+", plain(words)):
        for unit in (name for name in _LONGEST if word in listed("units", name)):
            yield _over(unit, int(before) if before.isdecimal() else numerals().get(before), today)
        before = word
    for found in _UNSPACED.finditer(words):
        unit = next(name for name in _LONGEST if found[name])
        count = found["count"]
        yield _over(unit, int(_COUNTS.get(count, count)), today)


def _over(unit: str, count: int | None, today: datetime) -> datetime:
    """Return the end of a duration; without a number, of the week or month that it is."""
    if count:
        return today + min(count, 99) * _LONGEST[unit] + _DAY
    return end(unit, today) or today + 7 * _DAY
