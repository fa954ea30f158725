"""Apply a rule to a clause: the texts in the groups of its pattern become a candidate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from erstwhile.learning.candidate import Candidate
from erstwhile.learning.patterns.language import (
    INSTRUCTION,
    Meaning,
    PatternLanguage,
    StatementRule,
)
from erstwhile.search.dates import DatePeriod, date_words, read_date
from erstwhile.search.passages import stands_before_name

MAX_VALUE = 80
_DATES = ("when", "since", "until", "date")
_SUBJECTS = ("who", "subject")
_NAMES = ("value", "name")
_NO_VALUES = (*_DATES, *_SUBJECTS, "tail", "verb", "be", "to", "often", "pronouns")
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_GROUP = re.compile(r"\{(\w+)\}")
_YEAR = timedelta(days=366)
_FOUR_DIGITS = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


class Clause(NamedTuple):
    """A clause of a sentence: where it begins, and where its statement begins."""

    start: int
    place: int


def statement_at(
    rule: StatementRule, sentence: str, clause: Clause, language: PatternLanguage, now: datetime
) -> Candidate | None:
    """Return what the rule finds in a sentence in a clause; None if it proves nothing."""
    meaning = rule.meaning
    if meaning.anywhere:
        found = rule.regex.search(sentence)
    else:
        found = rule.regex.match(sentence, clause.start if meaning.standing else clause.place)
    if found is None or stands_before_name(sentence, found.end()):
        return None
    said = {name: text.strip() for name, text in found.groupdict("").items()}
    dates = _read_dates(said, meaning, language, now)
    if dates is None or not _is_meant(meaning, sentence, found, language, now):
        return None
    old, replaced = _instead(sentence, found.end(), said, language)
    began = dates.get("when") or dates.get("since")
    values = said | {
        name: date_text(date, language, _form(name, date)) for name, date in dates.items()
    }
    for name in _SUBJECTS:
        if name in said:
            values[name] = _subject(said[name], language.words[name], whole=name == "who")
    words = sentence[clause.start : clause.place] + _without_values(found)
    return Candidate(
        text=_filled(rule.text, values),
        kind=meaning.kind,
        key=meaning.key,
        value=values[meaning.value] if meaning.key else None,
        entities=() if meaning is INSTRUCTION else _entities(said),
        slot=values.get(meaning.value, ""),
        changes=meaning.changes or replaced == "changes" or bool(language.change.search(words)),
        corrects=replaced == "corrects" or bool(language.correction.match(sentence)),
        ends=meaning.ends,
        instead_of=(old,) if old else (),
        valid_from=began.start if began else None,
        expires_at=dates["until"].end if "until" in dates else None,
        found_by=f"patterns/{language.name}/{rule.name}",
    )


def _entities(said: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(said[name] for name in _NAMES if said.get(name, "")[:1].isupper())


def date_text(date: DatePeriod, language: PatternLanguage, form: str = "") -> str:
    """Return a date in words of the language, in the form of its unit or the given one."""
    months = date_words(language.name).months
    month = months[date.start.month - 1][0] if months else ""
    fields = {"iso": date.start.date().isoformat(), "year": date.start.year, "month": month}
    fields |= {"number": date.start.month, "day": date.start.day}
    return str(language.words["date_forms"][form or date.unit].format(**fields))


def _is_meant(
    meaning: Meaning,
    sentence: str,
    found: re.Match[str],
    language: PatternLanguage,
    now: datetime,
) -> bool:
    """Return whether a match is an order, or a present fact with proper values."""
    if meaning.standing:
        return not language.no_order.search(found[0])
    groups = found.groupdict("").items()
    values = [text for name, text in groups if name not in _NO_VALUES]
    for text in filter(None, map(str.strip, values)):
        if len(text) > MAX_VALUE or language.not_value.search(text):
            return False
    if meaning.recent and any(int(y) < now.year - 1 for y in _FOUR_DIGITS.findall(sentence)):
        return False
    return not language.not_stated.search(" ".join((sentence[: found.start()], *values)))


def _read_dates(
    said: Mapping[str, str], meaning: Meaning, language: PatternLanguage, now: datetime
) -> dict[str, DatePeriod] | None:
    """Return the dates of the groups; None if one cannot be read or does not fit its tense."""
    dates = dict[str, DatePeriod]()
    for name in _DATES:
        if text := said.get(name, ""):
            date = read_date(text, date_words(language.name), now, past=name != "until")
            if date is None or not _fits(name, date, meaning, now):
                return None
            dates[name] = date
    return dates


def _fits(name: str, date: DatePeriod, meaning: Meaning, now: datetime) -> bool:
    if name == "date":
        return date.unit == "day"
    if name == "until":
        return date.unit == "day" and date.end > now
    return date.start <= now and (not meaning.recent or now - date.start < _YEAR)


def _subject(said: str, subjects: Mapping[str, str], *, whole: bool) -> str:
    """Return a subject in the third person: "my sister Ana" is "The user's sister Ana"."""
    said = said[0].lower() + said[1:]
    begins = next(each for each in subjects if said.lower().startswith(each))
    return subjects[begins] + ("" if whole else said[len(begins) :])


def _form(name: str, date: DatePeriod) -> str:
    if name == "until":
        return "iso"
    if name != "date":
        return ""
    return "birth_date" if date.has_year else "birthday"


def _instead(
    sentence: str, end: int, said: Mapping[str, str], language: PatternLanguage
) -> tuple[str, str]:
    """Return the value that a statement replaces, and whether that was ever true."""
    if found := language.instead.match(sentence, end):
        ended = found.groupdict().get("over")
        return found["old"].strip(), "changes" if ended else "corrects"
    return said.get("old", ""), "changes" if said.get("old") else ""


def _without_values(found: re.Match[str]) -> str:
    """Return the words of a match outside of its values; a date counts as a word."""
    text, start = found[0], found.start()
    for name, value in found.groupdict("").items():
        if value and name not in _NO_VALUES:
            first, last = found.start(name) - start, found.end(name) - start
            text = text[:first] + " " * (last - first) + text[last:]
    return text


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Return the text with its values, without the optional parts that have none."""

    def kept(part: re.Match[str]) -> str:
        return part[1] if all(values.get(name) for name in _GROUP.findall(part[1])) else ""

    return _GROUP.sub(lambda group: values[group[1]], _OPTIONAL.sub(kept, template))
