"""Apply a rule to a clause: the texts in the groups of its pattern become a candidate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from erstwhile.learning.candidate import Candidate
from erstwhile.learning.patterns.language import PatternLanguage, StatementRule
from erstwhile.search.dates import DatePeriod, date_words, read_date

LONGEST_VALUE = 80
_DATES = ("when", "since", "until", "date")
_SUBJECTS = ("who", "subject")
_NO_VALUES = (*_DATES, *_SUBJECTS, "tail", "verb", "be", "to", "often", "pronouns")
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_GROUP = re.compile(r"\{(\w+)\}")
_YEAR = timedelta(days=366)
_FOUR_DIGITS = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a sentence: where it begins, and where its statement begins."""

    start: int
    place: int


def statement_at(
    rule: StatementRule, sentence: str, clause: Clause, language: PatternLanguage, now: datetime
) -> Candidate | None:
    """Return what the rule finds in a sentence in a clause; None if it proves nothing."""
    find = rule.regex.search if rule.meaning.anywhere else rule.regex.match
    found = find(sentence, _place(rule, clause))
    if found is None:
        return None
    said = {name: text.strip() for name, text in found.groupdict("").items()}
    if not rule.meaning.standing and not _are_values(said, language):
        return None
    dates = _read_dates(said, rule, language, now)
    if dates is None:
        return None
    old, replaced = _instead(sentence, found.end(), said, language)
    if _is_unmeant(rule, sentence, found, language, now):
        return None
    told = said | {
        name: date_text(date, language, _form(name, date)) for name, date in dates.items()
    }
    for name in _SUBJECTS:
        if name in said:
            told[name] = _subject(said[name], language.words[name], whole=name == "who")
    words = sentence[clause.start : clause.place] + _without_values(found)
    return Candidate(
        text=_filled(rule.text, told),
        kind=rule.meaning.kind,
        key=rule.meaning.key,
        value=told[rule.meaning.value] if rule.meaning.key else None,
        entities=_entities(said),
        slot=told.get(rule.meaning.value, ""),
        changes=rule.meaning.changes
        or replaced == "changes"
        or bool(language.change.search(words)),
        corrects=replaced == "corrects" or bool(language.correction.match(sentence)),
        ends=rule.meaning.ends,
        instead_of=(old,) if old else (),
        valid_from=_begins(dates, now),
        expires_at=dates["until"].end if "until" in dates else None,
        found_by=f"patterns/{language.name}/{rule.name}",
    )


def date_text(date: DatePeriod, language: PatternLanguage, form: str = "") -> str:
    """Return a date in words of the language, in the form of its unit or the given one."""
    months = date_words(language.name).months
    month = months[date.start.month - 1][0] if months else ""
    fields = {"iso": date.start.date().isoformat(), "year": date.start.year, "month": month}
    fields |= {"number": date.start.month, "day": date.start.day}
    return str(language.words["date_forms"][form or date.unit].format(**fields))


def _place(rule: StatementRule, clause: Clause) -> int:
    if rule.meaning.anywhere:
        return 0
    return clause.start if rule.meaning.standing else clause.place


def _is_unmeant(
    rule: StatementRule,
    sentence: str,
    found: re.Match[str],
    language: PatternLanguage,
    now: datetime,
) -> bool:
    """Return whether words around a match tell that it is no order, no fact or long ago."""
    if rule.meaning.standing:
        return bool(language.no_order.search(found[0]))
    years = _FOUR_DIGITS.findall(sentence) if rule.meaning.recent else ()
    long_ago = any(int(year) < now.year - 1 for year in years)
    return long_ago or bool(language.not_stated.search(_around(sentence, found)))


def _are_values(said: Mapping[str, str], language: PatternLanguage) -> bool:
    values = [text for name, text in said.items() if text and name not in _NO_VALUES]
    return not any(len(each) > LONGEST_VALUE or language.not_value.search(each) for each in values)


def _read_dates(
    said: Mapping[str, str], rule: StatementRule, language: PatternLanguage, now: datetime
) -> dict[str, DatePeriod] | None:
    """Return the dates of the groups; None if one cannot be read or does not fit its tense."""
    dates = dict[str, DatePeriod]()
    for name in _DATES:
        if text := said.get(name, ""):
            date = read_date(text, date_words(language.name), now, past=name != "until")
            if date is None or not _fits(name, date, rule, now):
                return None
            dates[name] = date
    return dates


def _fits(name: str, date: DatePeriod, rule: StatementRule, now: datetime) -> bool:
    if name == "date":
        return date.unit == "day"
    if name == "until":
        return date.unit == "day" and date.end > now
    return date.start <= now and (not rule.meaning.recent or now - date.start < _YEAR)


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


def _begins(dates: Mapping[str, DatePeriod], now: datetime) -> datetime | None:
    date = dates.get("when") or dates.get("since")
    return date.start if date and date.start <= now else None


def _instead(
    sentence: str, end: int, said: Mapping[str, str], language: PatternLanguage
) -> tuple[str, str]:
    """Return the value that a statement replaces, and whether that was ever true."""
    if found := language.instead.match(sentence, end):
        ended = found.groupdict().get("over")
        return found["old"].strip(), "changes" if ended else "corrects"
    return said.get("old", ""), "changes" if said.get("old") else ""


def _around(sentence: str, found: re.Match[str]) -> str:
    """Return the words before a statement, and its values."""
    groups = found.groupdict("").items()
    values = (value for name, value in groups if name not in _NO_VALUES)
    return " ".join((sentence[: found.start()], *values))


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


def _entities(said: Mapping[str, str]) -> tuple[str, ...]:
    names = (said.get(name, "") for name in ("value", "name"))
    return tuple(name for name in names if name[:1].isupper())
