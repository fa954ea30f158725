"""Read the dates in a statement, relative to the time of its message: beginning, end or day.

Past periods ("last week", "in March", 去年) are read as in questions. This module adds the other
forms: "two years ago", weekdays and future days.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.time import EPOCH, parse_moment
from erstwhile.recall.time_intent import read_intent

_DAY = timedelta(days=1)
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6,
    "七": 7, "八": 8, "九": 9, "十": 10, "十一": 11, "十二": 12,
}  # fmt: skip
_UNITS = {"天": "days", "周": "weeks", "星期": "weeks", "月": "months", "年": "years"}
_SPAN = re.compile(
    r"(?:\b(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten) |(\d{1,3}"
    r"|[一二两三四五六七八九十]{1,2})个?)(days?|weeks?|months?|years?|天|周|星期|(?<=个)月|年)( "
    r"ago\b|[之以]?前)?",
    re.IGNORECASE,
)
_WEEKDAYS = {"mon": 0, "tue": 1, "wed": 2, "thu": 3, "fri": 4, "sat": 5, "sun": 6, "天": 6}
_WEEKDAYS |= {name: place for place, name in enumerate("一二三四五六日")}
_WEEKDAY = re.compile(
    r"(?:\b(next )?(mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs|ur)?(?:day)?\b)|(下个?)?(?:周|星期"
    r"|礼拜)([一二三四五六日天])",
    re.IGNORECASE,
)
_PAST_WEEKDAY = re.compile(
    r"(?:^on|\b(?:last|since)) (mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs|ur)?day\b"
    r"|上个?(?:周|星期|礼拜)([一二三四五六日天])",
    re.IGNORECASE,
)
_AHEAD = {
    "tomorrow": 1, "today": 0, "tonight": 0, "yesterday": -1,
    "后天": 2, "明天": 1, "今天": 0, "今晚": 0, "昨天": -1,
}  # fmt: skip
_RELATIVE = re.compile(
    r"(?P<before>\b(?:on|until|till|by|from|since) )?(?P<day>\b(?:tomorrow|today|tonight"
    r"|yesterday)\b(?!')|后天|明天|今天|今晚|昨天)",
    re.IGNORECASE,
)
_PERIOD = re.compile(r"\b(week|month|year)\b|(周|星期|月|年)", re.IGNORECASE)
_CHINESE_MONTH = re.compile(
    r"(?:(今年|去年|前年)|(?<!\d)(\d{4})年)?(十[一二]?|[一二三四五六七八九]|\d{1,2})月"
)
_YEARS_BACK = {"今年": 0, "去年": 1, "前年": 2}


def since(words: str, now: datetime) -> datetime | None:
    """Return the start time that the words name; None if it is not in the past."""
    if (span := _SPAN.search(words)) and span[4]:
        return _moment(f"{_amount(span)} ago", now)
    if found := _PAST_WEEKDAY.search(words):
        return _past_weekday(found, _midnight(now))
    period = read_intent(_in_digits(words, now), now).period
    return period[0] if period and EPOCH < period[0] <= now else None


def day(words: str, now: datetime) -> datetime | None:
    """Return the midnight at the start of the day that the words name, today or later."""
    today = _midnight(now)
    if (found := _RELATIVE.search(words)) and (ahead := _AHEAD[found["day"].lower()]) >= 0:
        return today + ahead * _DAY
    if found := _WEEKDAY.search(words):
        return _weekday(found, today)
    return _date(words, today)


def end(words: str, now: datetime) -> datetime | None:
    """Return the first moment after the day, duration or period that the words name."""
    if named := day(words, now):
        return named + _DAY
    if span := _SPAN.search(words):
        return _moment(f"in {_amount(span)}", now)
    if found := _PERIOD.search(words):
        return _period_end(found[1] or _UNITS[found[2]], _midnight(now))
    return None


def in_dates(words: str, now: datetime) -> str:
    """Return the words with dates in place of "tomorrow" and similar words."""

    def dated(found: re.Match[str]) -> str:
        date = (now + _AHEAD[found["day"].lower()] * _DAY).date().isoformat()
        return f"{found['before'] or 'on '}{date}" if found["day"].isascii() else date

    return _RELATIVE.sub(dated, words)


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _amount(span: re.Match[str]) -> str:
    """Return a duration in the format of `parse_moment`, which refuses unknown numbers."""
    count = (span[1] or span[2]).lower()
    return f"{_NUMBERS.get(count, count)} {_UNITS.get(span[3], span[3])}"


def _moment(words: str, now: datetime) -> datetime | None:
    try:
        return _midnight(parse_moment(words, now=now, name="date"))
    except InvalidInputError:
        return None


def _past_weekday(found: re.Match[str], today: datetime) -> datetime:
    """Return the last date with this weekday before today; in Chinese, the date in last week."""
    if found[2]:
        return today - (today.weekday() + 7 - _WEEKDAYS[found[2]]) * _DAY
    return today - ((today.weekday() - _WEEKDAYS[found[1].lower()] - 1) % 7 + 1) * _DAY


def _weekday(found: re.Match[str], today: datetime) -> datetime:
    """Return the next date with this weekday after today, or the date in next week."""
    place = _WEEKDAYS[(found[2] or found[4]).lower()]
    if found[1] or found[3]:
        return today + (7 - today.weekday() + place) * _DAY
    return today + ((place - today.weekday()) % 7 or 7) * _DAY


def _date(words: str, today: datetime) -> datetime | None:
    """Return a date with its day. Without a year, it is the next date with this day and month."""
    period = read_intent(_in_digits(words, today), today).period
    if period is None or period[1] - period[0] != _DAY or not re.search(r"\d", words):
        return None
    if period[0] >= today or re.search(r"\d{4}", words):
        return period[0]
    try:
        return period[0].replace(year=period[0].year + 1)
    except ValueError:  # 29 February
        return None


def _period_end(unit: str, today: datetime) -> datetime:
    if unit.startswith("week"):
        return today + (7 - today.weekday()) * _DAY
    if unit.startswith("month"):
        return (today.replace(day=28) + 4 * _DAY).replace(day=1)
    return today.replace(year=today.year + 1, month=1, day=1)


def _in_digits(words: str, now: datetime) -> str:
    """Return the words with Chinese months in digits and with a year, by default the latest."""

    def spelt(found: re.Match[str]) -> str:
        month = int(_NUMBERS.get(found[3], found[3]))
        latest = now.year - (month > now.month)
        year = now.year - _YEARS_BACK[found[1]] if found[1] else found[2] or latest
        return f"{year}年{month}月"

    return _CHINESE_MONTH.sub(spelt, words)
