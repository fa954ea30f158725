"""Find what users say is over: "I quit the choir", "Handball spiele ich nicht mehr".

Such a clause names what is over, and not the fact that says so: that fact may have any words, and
the finding ends the one fact of the user that has the words of its name. See `reconcile.ended`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

from erstwhile.learning.candidate import Candidate
from erstwhile.learning.moods import Mood, denies_end, ends_something, is_about_others, mood_of
from erstwhile.learning.patterns.english_words import has_sign, is_english
from erstwhile.letter_case import AnyCase, any_of
from erstwhile.rule_files import RuleFile, TextRule, read_rules

LONGEST = 160
"""How many characters of a clause are read."""
MOST_CLAUSES = 12


@dataclass(frozen=True, kw_only=True)
class EndingRule(TextRule):
    """A way to say that something is over; the name of the rule is its language."""

    key: str | None = None
    """The key whose value is over."""

    @property
    def flags(self) -> re.RegexFlag:
        return re.IGNORECASE


def ended_candidates(sentence: str) -> Iterator[Candidate]:
    """Yield the endings that a sentence states of the speaker."""
    if is_english(sentence) and not has_sign(sentence, "ending"):
        return
    for start in dict.fromkeys(_starts(sentence)):
        for rule, found in _matches(sentence[start : start + LONGEST]):
            if _is_stated(sentence, start, start + found.end()):
                yield _candidate(rule, found, sentence)


def _starts(sentence: str) -> Iterator[int]:
    """Yield where clauses begin, behind words such as "actually"."""
    borders = islice(_part("border").finditer(sentence), MOST_CLAUSES)
    for start in (0, *(border.end() for border in borders)):
        opening = _part("opening").match(sentence, start)
        yield opening.end() if opening else start


def _matches(text: str) -> Iterator[tuple[EndingRule, re.Match[str]]]:
    """Yield the first match with a key, and the first one without."""
    if not _any_rule().begins(text):
        return
    for keyed in (True, False):
        rules = (rule for rule in ending_rules() if (rule.key is not None) is keyed)
        matches = ((rule, found) for rule in rules if (found := rule.regex.match(text)))
        yield from islice(matches, 1)


def _is_stated(sentence: str, start: int, end: int) -> bool:
    if not ends_something(sentence) or denies_end(sentence):
        return False
    mood = mood_of(sentence, start, end)
    return mood in (None, Mood.PAST) and not is_about_others(sentence, start, end)


def _candidate(rule: EndingRule, found: re.Match[str], sentence: str) -> Candidate:
    over = tuple(filter(None, found.groups()))
    return Candidate(
        text=" ".join(over) or found[0],
        key=rule.key,
        instead_of=over,
        ends=True,
        quote=found[0],
        sentence=sentence,
        found_by=f"{rule.name}/over",
    )


@cache
def ending_rules() -> tuple[EndingRule, ...]:
    """Return the rules for endings."""
    return _file().rules_as(EndingRule)


@cache
def _any_rule() -> AnyCase:
    return any_of(rule.pattern for rule in ending_rules())


@cache
def _part(name: str) -> re.Pattern[str]:
    return re.compile(_file().parts[name], re.IGNORECASE)


def _file() -> RuleFile:
    return read_rules(Path(__file__).with_name("endings.toml"))
