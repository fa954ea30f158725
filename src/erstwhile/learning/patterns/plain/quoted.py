"""Quote plain statements in languages whose grammar is not rewritten here.

A first person with a verb or a noun of life, such as "tengo dos gatos", is enough for a quotation.
Only in Chinese, 我 becomes 用户, which is always safe.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from erstwhile.core.kinds import Kind
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.moods import Mood, adds_beside, clauses_around, is_temporary, mood_of
from erstwhile.learning.patterns.english_words import is_english
from erstwhile.learning.patterns.languages import CHINESE
from erstwhile.learning.patterns.plain.attributes import attribute_rules, told_apart
from erstwhile.learning.patterns.plain.quoted_clauses import QuotedClause, quoted_clauses
from erstwhile.letter_case import AnyCase, any_of
from erstwhile.rule_files import RuleFile, TextRule, read_rules
from erstwhile.search.own_words import FILLER

_MINE = re.compile("^我(?:家)?的?(?=\\w)")
_OTHER_SCRIPTS = ("ja", "ko", "ru", "zh")
LONGEST = 160
_ENGLISH = frozenset(
    ("the", "and", "to", "my", "with", "that", "you", "for", "this", "i'm", "i've")
)
_ENOUGH = 2


@dataclass(frozen=True, kw_only=True)
class QuotedRule(TextRule):
    """A way to begin a plain statement; the name of the rule is its language."""

    kind: Kind

    @property
    def flags(self) -> re.RegexFlag:
        return re.IGNORECASE


def quoted_candidates(sentence: str, taken: Sequence[tuple[int, int]]) -> Iterator[Candidate]:
    """Yield the plain statements of a sentence, except at the places that are taken."""
    if is_english(sentence) or _part("jest").is_in(sentence):
        return
    for clause in quoted_clauses(sentence):
        if not any(first < clause.end and clause.start < last for first, last in taken):
            yield from _stated(sentence, clause)


def _stated(sentence: str, clause: QuotedClause) -> Iterator[Candidate]:
    found = next(((each, rule) for each in clause.wordings if (rule := _rule_for(each.read))), None)
    if found is None:
        return
    wording, rule = found
    if _part("task").is_in(wording.read) or _part("unsure").is_in(wording.read):
        return
    mood = mood_of(sentence, clause.start, clause.end)
    if mood is not None and not (mood is Mood.PLAN and _part("ahead").is_in(wording.quoted)):
        return
    settled = mood is None and not _is_partial(sentence, clause)
    for said, named in told_apart(wording, rule.name) if settled else ((wording.quoted, None),):
        yield Candidate(
            text=_written(said, rule),
            kind=rule.kind,
            key=named.key if named else None,
            value=named.value if named else None,
            quote=wording.quoted.removeprefix("(ich) "),
            sentence=sentence,
            found_by=f"{rule.name}/plain-{rule.kind}",
        )


def _is_partial(sentence: str, clause: QuotedClause) -> bool:
    """Return whether a clause holds for a while, or beside another one."""
    around = clauses_around(sentence, clause.start, clause.end)
    return is_temporary(sentence) or adds_beside(around)


def _rule_for(said: str) -> QuotedRule | None:
    if not said or len(said) > LONGEST or FILLER in said:
        return None
    scripts = (True,) if said.isascii() else (True, False)
    if not any(_any_rule(latin=latin).begins(said) for latin in scripts):
        return None
    return next((rule for rule in quoted_rules() if rule.regex.match(said)), None)


def _written(said: str, rule: QuotedRule) -> str:
    if rule.name != "zh":
        return f'The user said: "{said}"'
    if "我们" in said or "咱们" in said:
        return f"用户说：“{said}”"
    told = _MINE.sub("用户的", said) if rule.kind is Kind.RELATION else said
    return CHINESE.as_sentence(CHINESE.tail.sub("", told))


@cache
def quoted_rules() -> tuple[QuotedRule, ...]:
    """Return the rules for plain statements that are quoted; the value of an attribute is one."""
    values = (
        QuotedRule(name=each.name, pattern=each.pattern, kind=Kind.PROFILE)
        for each in attribute_rules()
    )
    return (*_file().rules_as(QuotedRule, kind=Kind), *values)


@cache
def _any_rule(*, latin: bool) -> AnyCase:
    """Return a pattern that matches where a rule for Latin letters does, or one for others."""
    return any_of(
        rule.pattern for rule in quoted_rules() if latin is (rule.name not in _OTHER_SCRIPTS)
    )


@cache
def _part(name: str) -> AnyCase:
    return AnyCase(_file().parts[name])


def _file() -> RuleFile:
    return read_rules(Path(__file__).with_name("quoted.toml"))
