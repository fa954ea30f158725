"""The languages that are understood without a language model, read from their rule files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from erstwhile.core.kinds import Kind
from erstwhile.learning.patterns import chinese_checks, english_checks
from erstwhile.learning.patterns.statement_rule import StatementRule
from erstwhile.letter_case import AnyCase, any_of
from erstwhile.rule_files import read_rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The rules of a language, and the patterns that split its sentences.

    Each pattern is the part of the same name in the rule file of the language.
    """

    name: str
    rules: tuple[StatementRule, ...]
    any_rule: Callable[[], AnyCase]
    """Return a pattern that matches where one of the rules does."""
    opening: re.Pattern[str]
    """Words before a statement that do not change it: "actually", a date."""
    clause: re.Pattern[str]
    """The place where a new clause may begin."""
    stop: re.Pattern[str]
    """The end of a value."""
    list_stop: re.Pattern[str]
    """The end of a list of values."""
    rule_stop: re.Pattern[str]
    """The end of a rule to follow."""
    tail: re.Pattern[str]
    """Words without meaning at the end of a value: "now", "too"."""
    date_tail: re.Pattern[str]
    """A date at the end of a value."""
    correction: re.Pattern[str]
    """Right after a value, the former value in the group `old`: ", not X"."""
    doubt: AnyCase
    """A sign that a sentence does not state a fact."""
    condition: AnyCase
    """A sign that a sentence does not state a fact, unless it gives a rule."""
    fiction: AnyCase
    """A sign that the rest of the message is not about the user."""
    question: AnyCase
    withheld: AnyCase
    """A sign that the user does not want the message to be remembered."""
    also: AnyCase
    """A sign that a value is an additional one, and not the only value of its key."""
    asks_to_forget: re.Pattern[str]
    """A request to forget a statement, which is in the group `value`."""
    asks_to_keep: re.Pattern[str]
    """A request to remember a statement, which is in the group `value`."""
    stands_alone: Callable[[str], bool]
    """Whether a statement can be understood without the messages before it."""
    set_in: Callable[[str], str]
    """A value as it is written between other words."""
    as_sentence: Callable[[str], str]
    """A statement as a sentence about "the user"."""
    proper_names: Callable[[str], Iterable[str]]
    """The proper names in a value."""


def _read(name: str, file_name: str, checks: ModuleType, flags: re.RegexFlag) -> Language:
    """Read a language: its functions are in `checks`, everything else is in its rule file."""
    file = read_rules(Path(__file__).with_name(file_name))
    patterns: dict[str, Any] = {
        field.name: AnyCase(file.parts[field.name])
        if field.type == AnyCase.__name__
        else re.compile(file.parts[field.name], flags)
        for field in fields(Language)
        if field.name in file.parts
    }
    rules = file.rules_as(StatementRule, kind=Kind, check=partial(getattr, checks))
    return Language(
        name=name,
        rules=rules,
        any_rule=cache(partial(any_of, [rule.pattern for rule in rules])),
        stands_alone=checks.stands_alone,
        set_in=checks.set_in,
        as_sentence=checks.as_sentence,
        proper_names=checks.proper_names,
        **patterns,
    )


ENGLISH = _read("en", "english.toml", english_checks, re.IGNORECASE)
CHINESE = _read("zh", "chinese.toml", chinese_checks, re.NOFLAG)
