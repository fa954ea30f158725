"""A pattern on a clause: what stands in its groups, cut to size, becomes a candidate."""

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
_YEAR = re.compile(r"\d{4}")


@dataclass(frozen=True, slots=True)
class Clause:
    """Where a statement may begin: what leads up to it, and the sentence from there on."""

    start: int
    lead: str
    rest: str
    first: bool
    """Whether the sentence begins with it."""


class ClauseMatch(NamedTuple):
    """A candidate, and how far into the sentence it reaches."""

    candidate: Candidate
    end: int


def apply(
    rule: StatementRule, clause: Clause, language: Language, now: datetime
) -> ClauseMatch | None:
    """What the clause states, if it is said in the way of the rule."""
    match = rule.regex.match(clause.rest)
    if match is None:
        return None
    raw = {name: _cut(name, text, language) for name, text in match.groupdict("").items() if text}
    values = {name: _trimmed(name, text, rule, language) for name, text in raw.items()}
    written = _with_dates(values, now) if _fits(rule, values) else None
    if written is None:
        return None
    reach = max(match.start(name) + len(text) for name, text in raw.items())
    if rule.key and not rule.ends and language.also.search(clause.rest[:reach]):
        return None
    candidate = replace(
        _filled(rule, dict.fromkeys(match.groupdict(), "") | written, language, now),
        entities=_entities(rule, values, language),
        valid_from=since(_told_of_time(clause, raw), now) if rule.dated else None,
        expires_at=end(values["until"], now) if "until" in values else None,
        instead_of=_gave_way(rule, values, raw, match, language),
    )
    return ClauseMatch(candidate, clause.start + reach)


def _fits(rule: StatementRule, values: Values) -> bool:
    return all(0 < len(text) <= LONGEST_VALUE for text in values.values()) and rule.check(values)


def _told_of_time(clause: Clause, raw: Values) -> str:
    """Where a time may be named, the likeliest place first."""
    when = raw.get("when")
    return when if when is not None else " ".join((clause.lead, *raw.values()))


def _filled(
    rule: StatementRule, values: Mapping[str, str], language: Language, now: datetime
) -> Candidate:
    """What the pattern says, with the values in their places."""
    text = rule.text.format_map({name: language.set_in(each) for name, each in values.items()})
    key = rule.key and rule.key.format_map(values).lower().replace(" ", "_")
    return Candidate(
        text=in_dates(language.as_sentence(text), now),
        kind=rule.kind,
        key=key,
        ends=rule.ends,
        found_by=f"{language.name}/{rule.name}",
    )


def _cut(name: str, text: str, language: Language) -> str:
    """A value as far as its clause goes."""
    stop = (language.list_stop if name == "list" else language.stop).search(text)
    return text[: stop.start()] if stop else text


def _trimmed(name: str, text: str, rule: StatementRule, language: Language) -> str:
    """A value without fillers at its end, nor the date if that says since when it is so."""
    dated, before = rule.dated and name != "when", ""
    while text != before:
        before = text
        text = language.tail.sub("", text.strip(" .!。！,，;；:：*_"))
        text = language.date_tail.sub("", text) if dated else text
    # A rule began its sentence, and no longer does.
    return text[:1].lower() + text[1:] if rule.rules else text


def _with_dates(values: Values, now: datetime) -> dict[str, str] | None:
    """The values with days as dates, since "Friday" means nothing later; None if one is unclear."""
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
    said = [values[name] for name in ("name", "what", "value", "list", "other") if name in values]
    return tuple(dict.fromkeys(name for text in said for name in language.proper_names(text)))


def _gave_way(
    rule: StatementRule, values: Values, raw: Values, match: re.Match[str], language: Language
) -> tuple[str, ...]:
    """What the new value takes the place of: said by the rule, or right behind the value."""
    if "old" in values:
        return (values["old"],)
    if rule.key is None or "value" not in values:
        return ()
    behind = language.correction.match(match.string, match.start("value") + len(raw["value"]))
    return (behind["old"].strip(),) if behind else ()
