"""Apply a rule to a clause: the texts in the groups of its pattern become a candidate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from erstwhile.learning.candidate import Candidate
from erstwhile.learning.patterns.dates import day, end, in_dates, since
from erstwhile.learning.patterns.languages import Language
from erstwhile.learning.patterns.statement_rule import StatementRule, Values

LONGEST_VALUE = 160
_ARTICLE = re.compile(r"^an? ")
_YEAR = re.compile(r"\d{4}")


@dataclass(frozen=True, slots=True)
class Clause:
    """The place where a statement may begin: the words before it, and the rest of the sentence."""

    start: int
    lead: str
    rest: str
    first: bool
    """Whether the sentence begins with this clause."""


class ClauseMatch(NamedTuple):
    """A candidate, and the positions in the sentence where it begins and ends."""

    candidate: Candidate
    start: int
    end: int


def apply(
    rule: StatementRule, clause: Clause, language: Language, now: datetime
) -> ClauseMatch | None:
    """Return the candidate that the clause states; None if the rule does not match."""
    match = rule.regex.match(clause.rest)
    if match is None:
        return None
    said = {name: text for name, text in match.groupdict("").items() if text}
    raw = {name: _cut(name, text, rule, language) for name, text in said.items()}
    values = {name: _trimmed(name, text, rule, language) for name, text in raw.items()}
    written = _with_dates(values, now) if _fits(rule, values) else None
    if written is None:
        return None
    reach = max(match.start(name) + len(text) for name, text in raw.items())
    if rule.key and not rule.ends and language.also.is_in(clause.rest[:reach]):
        return None
    candidate = replace(
        _filled(rule, dict.fromkeys(match.groupdict(), "") | written, language, now),
        entities=_entities(rule, values, language),
        valid_from=since(_date_text(clause, raw), now) if rule.dated else None,
        expires_at=end(values["until"], now) if "until" in values else None,
        instead_of=_former_values(rule, values, raw, match, language),
        quote=f"{clause.lead}{clause.rest[:reach]}".strip(),
    )
    return ClauseMatch(candidate, clause.start, clause.start + reach)


def _fits(rule: StatementRule, values: Values) -> bool:
    return all(0 < len(text) <= LONGEST_VALUE for text in values.values()) and rule.check(values)


def _date_text(clause: Clause, raw: Values) -> str:
    """Return the text that may contain a date: the group `when`, else the whole clause."""
    when = raw.get("when")
    return when if when is not None else " ".join((clause.lead, *raw.values()))


def _filled(
    rule: StatementRule, values: Mapping[str, str], language: Language, now: datetime
) -> Candidate:
    """Return the candidate with the values inserted."""
    text = rule.text.format_map({name: language.set_in(each) for name, each in values.items()})
    key = rule.key and rule.key.format_map(values).lower().replace(" ", "_")
    return Candidate(
        text=in_dates(language.as_sentence(text), now),
        kind=rule.kind,
        key=key,
        value=_bare_value(values) if key else None,
        ends=rule.ends,
        found_by=f"{language.name}/{rule.name}",
    )


def _bare_value(values: Mapping[str, str]) -> str | None:
    """Return the value of a key without its article: "nurse" of "a nurse"."""
    value = values.get("value") or values.get("list")
    return _ARTICLE.sub("", value) if value else None


def _cut(name: str, text: str, rule: StatementRule, language: Language) -> str:
    """Return a value up to the end of its clause."""
    ends = language.list_stop if name == "list" else language.stop
    stop = (language.rule_stop if rule.rules else ends).search(text)
    return text[: stop.start()] if stop else text


def _trimmed(name: str, text: str, rule: StatementRule, language: Language) -> str:
    """Return a value without filler words at its end, and without its start date."""
    dated, before = rule.dated and name != "when", ""
    while text != before:
        before = text
        text = language.tail.sub("", text.strip(" .!。！,，;；:：*_"))
        text = language.date_tail.sub("", text) if dated else text
    # A rule begins its sentence with a capital; inside the candidate it is in lower case.
    return text[:1].lower() + text[1:] if rule.rules else text


def _with_dates(values: Values, now: datetime) -> dict[str, str] | None:
    """Return the values with dates in place of days; None if a day is unclear.

    "Friday" means another day in another week.
    """
    written = dict(values)
    if "until" in values:
        if (over := end(values["until"], now)) is None:
            return None
        written["until"] = (over - timedelta(days=1)).date().isoformat()
    if "on" in values:
        if (named := day(values["on"], now)) is None:
            return None
        if not _YEAR.search(values["on"]):
            written["on"] = named.date().isoformat()
    return written


def _entities(rule: StatementRule, values: Values, language: Language) -> tuple[str, ...]:
    if rule.named and len(values["value"].split()) <= 3:
        return (values["value"],)
    texts = [values[name] for name in ("name", "what", "value", "list", "other") if name in values]
    return tuple(dict.fromkeys(name for text in texts for name in language.proper_names(text)))


def _former_values(
    rule: StatementRule, values: Values, raw: Values, match: re.Match[str], language: Language
) -> tuple[str, ...]:
    """Return the former value: from the group `old`, or from ", not X" after the value."""
    if "old" in values:
        return (values["old"],)
    if rule.key is None or "value" not in values:
        return ()
    behind = language.correction.match(match.string, match.start("value") + len(raw["value"]))
    return (behind["old"].strip(),) if behind else ()
