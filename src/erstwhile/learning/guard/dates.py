"""Find dates in a text, and words such as "last week" from which a date may be computed."""

from __future__ import annotations

import re

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?"
_NUMBER = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = re.compile(
    r"\d{4}-\d{2}(?:-\d{2})?(?:T[\d:.]+Z?)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
    rf"|\b(?:{_DAY},? )?(?:{_NUMBER} (?:of )?)?{_MONTH}(?: {_NUMBER})?(?:,? \d{{4}})?\b"
    rf"|\b{_DAY}\b|\b(?:19|20)\d\d\b"
    r"|\d{2,4}年(?:\d{1,2}月)?(?:\d{1,2}[日号])?|\d{1,2}月(?:\d{1,2}[日号])?|(?:星期|周)[一二三四五六日天]",
    re.IGNORECASE,
)
_WHEN = re.compile(
    rf"\b(?:{_MONTH}|{_DAY}|to(?:day|morrow|night)|yesterday|(?:last|next|this|past|coming|previous)"
    r" (?:week|month|year|weekend|spring|summer|autumn|fall|winter|night|quarter|\w{3,9}day)"
    r"|ago|since|(?:in|for|within|after) (?:an?|\d{1,4}|\w{3,6}) (?:day|week|month|year)s?"
    r"|ayer|hoy|manana|mañana|hier|demain|gestern|heute|morgen|ontem|hoje|вчера|сегодня|завтра)\b"
    r"|\d[./-]\d|今[天年日晚早]|昨[天日晚]|明[天年日]|去年|前[天年]|后天|上(?:个)?(?:周|月|星期)"
    r"|下(?:个)?(?:周|月|星期)|[年月日号周]前|月|星期|周[一二三四五六日末]|来年|先週|来週|昨日|어제|오늘|내일|지난|다음",
    re.IGNORECASE,
)


def says_when(text: str) -> bool:
    """Return whether a date may have been computed from words of the text."""
    return _WHEN.search(text) is not None


def without_dates(text: str) -> str:
    """Return the text with a space in place of each date."""
    return _DATE.sub(" ", text)
