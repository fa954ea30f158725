"""The languages of the patterns, each read from its rule file when a text first needs it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from erstwhile.core.kinds import Kind
from erstwhile.rule_files import TextRule, read_rules

LATIN = ("english",)
_SCRIPTS = {
    "japanese": re.compile(r"[\u3041-\u30ff]"),
    "korean": re.compile(r"[\uac00-\ud7a3]"),
    "russian": re.compile(r"[\u0400-\u04ff]"),
    "chinese": re.compile(r"[\u3400-\u9fff]"),
}
"""The letters of languages with a script of their own. Japanese comes before Chinese."""
LANGUAGES = (*LATIN, *_SCRIPTS)
_WORD = re.compile(r"[^\W\d_]{1,20}")


@dataclass(frozen=True, kw_only=True)
class StatementRule(TextRule):
    """A form of a statement, and the fact that it states.

    The groups of the pattern are inserted in `text`. A part of `text` in square brackets is left
    out if one of its groups is empty. The groups `when`, `since`, `until` and `date` are dates; a
    group `old` is the value that the statement replaces.
    """

    text: str
    kind: Kind
    key: str | None = None
    value: str = "value"
    """The group with the value of the key."""
    constant: str = ""
    """The value of the key if it is not in a group."""
    changes: bool = False
    ends: bool = False
    anywhere: bool = False
    """Whether the pattern is searched in the sentence, not matched where a clause begins."""
    standing: bool = False
    """Whether it is an instruction, which is learned only from a short message."""
    recent: bool = False
    """Whether it counts only if the date is not more than a year ago."""

    @property
    def flags(self) -> re.RegexFlag:
        return re.IGNORECASE


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternLanguage:
    """The rules of a language, and the patterns that tell which sentences they may read.

    Each pattern is the part of the same name in the rule file of the language.
    """

    name: str
    rules: tuple[StatementRule, ...]
    words: Mapping[str, Any]
    withheld: re.Pattern[str]
    """A sign in a message that none of it tells a fact: fiction, a text to be edited, a joke."""
    reported: re.Pattern[str]
    """A sign that the rest of the message may be the words of somebody else."""
    doubt: re.Pattern[str]
    """A sign that a sentence states nothing: a condition, a guess, the words of others."""
    mood: re.Pattern[str]
    """A sign in or before a clause that it states nothing: a plan, a wish, a negation."""
    clause: re.Pattern[str]
    """The place where a new clause may begin."""
    opening: re.Pattern[str]
    """Words before a statement that do not change it: "by the way"."""
    question: re.Pattern[str]
    """The beginning of a question after a statement of the same sentence."""
    asks: re.Pattern[str]
    """The beginning of a sentence that is a question."""
    not_value: re.Pattern[str]
    """A word that no value contains, such as a pronoun."""
    change: re.Pattern[str]
    """Words of a clause that tell a change: "now"."""
    correction: re.Pattern[str]
    """The beginning of a sentence that corrects a slip: "sorry,"."""
    instead: re.Pattern[str]
    """Right after a statement, the value in the group `old` that it replaces: ", not X"."""
    meant: re.Pattern[str]
    """A whole sentence that corrects a value: "sorry, I meant X"."""
    once: re.Pattern[str]
    """A sign that an instruction is for one turn: "this time"."""
    ago: re.Pattern[str]
    """A duration up to now, with the groups `count` and `unit`."""


@cache
def language(name: str) -> PatternLanguage:
    """Read the rule file of a language, once."""
    file = read_rules(Path(__file__).with_name(f"{name}.toml"))
    patterns: dict[str, Any] = {
        field.name: re.compile(file.parts[field.name], re.IGNORECASE)
        for field in fields(PatternLanguage)
        if field.name in file.parts
    }
    rules = file.rules_as(StatementRule, kind=Kind)
    return PatternLanguage(name=name, rules=rules, words=file.words, **patterns)


def languages_in(text: str) -> list[PatternLanguage]:
    """Return the languages whose script is in a text; their signs of doubt count for all of it."""
    found = [name for name, letters in _SCRIPTS.items() if letters.search(text)]
    return [language(name) for name in (*LATIN, *found)]


def languages_of(sentence: str) -> list[PatternLanguage]:
    """Return the language of a sentence by its script or its words; several if they are equal."""
    script = next((name for name, letters in _SCRIPTS.items() if letters.search(sentence)), None)
    if script:
        return [language(script)]
    words = {word.lower() for word in _WORD.findall(sentence)}
    scores = {name: len(words & _common_words(name)) for name in LATIN}
    most = max(scores.values())
    return [language(name) for name in LATIN if scores[name] == most] if most else []


@cache
def _common_words(name: str) -> frozenset[str]:
    return frozenset(language(name).words["common"])
