"""Languages of the patterns, each read from its rule file on first use."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from erstwhile.core.kinds import Kind
from erstwhile.rule_files import TextRule, read_rules

LATIN = ("english", "german", "spanish", "french", "portuguese", "italian")
_SCRIPTS = {
    "japanese": re.compile(r"[\u3041-\u30ff]"),
    "korean": re.compile(r"[\uac00-\ud7a3]"),
    "russian": re.compile(r"[\u0400-\u04ff]"),
    "chinese": re.compile(r"[\u3400-\u9fff]"),
}
"""The letters of languages with a script of their own. Japanese comes before Chinese."""
LANGUAGES = (*LATIN, *_SCRIPTS)
_WORD = re.compile(r"[^\W\d_]{1,20}")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a statement of a kind is in memory, in every language."""

    kind: Kind = Kind.PROFILE
    key: str | None = None
    value: str = "value"
    """The group with its value."""
    changes: bool = False
    ends: bool = False
    anywhere: bool = False
    """Whether the pattern is searched in the sentence, not matched where a clause begins."""
    standing: bool = False
    """Whether it is an instruction, which is learned only from a short message."""
    recent: bool = False
    """Whether it counts only if its date is not more than a year ago."""


_RELATION, _LIKING, _HABIT = Meaning(Kind.RELATION), Meaning(Kind.PREFERENCE), Meaning(Kind.FACT)
_HOME = Meaning(key="home", changes=True, recent=True)
_EMPLOYER = Meaning(key="employer", changes=True, recent=True)
INSTRUCTION = Meaning(Kind.INSTRUCTION, standing=True)
_CALLED = Meaning(Kind.INSTRUCTION, "preferred_name", changes=True, standing=True)
MEANINGS = {
    "name": Meaning(key="name"), "surname": Meaning(key="surname"), "called-from-now": _CALLED,
    "called": Meaning(key="preferred_name"), "pronouns": Meaning(key="pronouns", value="pronouns"),
    "lives": Meaning(key="home"), "moved": _HOME, "left-home": Meaning(key="home", ends=True),
    "from": Meaning(), "hometown": Meaning(key="hometown"), "timezone": Meaning(key="timezone"),
    "age": Meaning(key="age"), "birthday": Meaning(key="birthday", value="date"),
    "native": Meaning(key="native_language"), "speaks": Meaning(),
    "status": Meaning(key="relationship_status"),
    "status-new": Meaning(key="relationship_status", changes=True),
    "employer": Meaning(key="employer"), "new-employer": _EMPLOYER,
    "left-employer": Meaning(key="employer", ends=True), "job": Meaning(key="occupation"),
    "diet": Meaning(key="diet"), "not-eaten": Meaning(), "allergy": Meaning(),
    "condition": Meaning(),
    "kin-name": Meaning(Kind.RELATION, value="name", anywhere=True), "kin-called": _RELATION,
    "kin-allergy": _RELATION, "kin-lives": _RELATION, "kin-job": _RELATION,
    "role": _RELATION, "has-named": _RELATION, "has-kin": _RELATION, "adopted": _RELATION,
    "likes": _LIKING, "dislikes": _LIKING, "prefers": _LIKING, "favourite": _LIKING,
    "drives": _HABIT, "plays": _HABIT, "does-often": _HABIT,
    "uses": Meaning(Kind.PROJECT), "switched": Meaning(Kind.PROJECT, changes=True),
    "deploys": Meaning(Kind.PROJECT), "runs-on": Meaning(Kind.PROJECT),
    "on-version": Meaning(Kind.ENVIRONMENT), "no-longer-uses": Meaning(Kind.PROJECT, ends=True),
    "decided": Meaning(Kind.DECISION), "event": Meaning(Kind.EVENT), "away": Meaning(Kind.STATE),
    "instruction": INSTRUCTION,
}  # fmt: skip
"""The meanings of rules by their names."""


@dataclass(frozen=True, kw_only=True)
class StatementRule(TextRule):
    """A form of a statement in one language; its name tells what it means.

    The groups of the pattern are inserted in `text`. A part of `text` in square brackets is left
    out if one of its groups is empty. The groups `when`, `since`, `until` and `date` are dates; a
    group `old` is the value that the statement replaces.
    """

    text: str

    @cached_property
    def meaning(self) -> Meaning:
        return MEANINGS[self.name]

    @property
    def flags(self) -> re.RegexFlag:
        return re.IGNORECASE


@dataclass(frozen=True, kw_only=True)
class PatternLanguage:
    """The rules of a language, and the patterns that tell which sentences they may read.

    Each pattern is the part of the same name in the rule file of the language.
    """

    name: str
    rules: tuple[StatementRule, ...]
    words: Mapping[str, Any]
    withheld: re.Pattern[str]
    """Words that withhold a whole message: fiction, a text to be edited, a joke."""
    reported: re.Pattern[str]
    """Words after which the message may be that of somebody else."""
    doubt: re.Pattern[str]
    """Words of a sentence without a statement: a condition, a guess, the words of others."""
    not_stated: re.Pattern[str]
    """Words in or before a clause without a statement: a plan, a wish, a negation."""
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
    retracted: re.Pattern[str]
    """Words in a message that take something back: "scratch that"."""
    once: re.Pattern[str]
    """Words of an instruction for one turn: "this time"."""
    no_order: re.Pattern[str]
    """Words that only speak about an instruction: "… is a bad rule"."""

    @cached_property
    def common_words(self) -> frozenset[str]:
        return frozenset(self.words["common"].split())


@cache
def language(name: str) -> PatternLanguage:
    """Read the rule file of a language, once."""
    file = read_rules(Path(__file__).with_name(f"{name}.toml"))
    patterns: dict[str, Any] = {
        field.name: re.compile(file.parts[field.name], re.IGNORECASE)
        for field in fields(PatternLanguage)
        if field.name in file.parts
    }
    rules = file.rules_as(StatementRule)
    return PatternLanguage(name=name, rules=rules, words=file.words, **patterns)


def languages_in(text: str) -> list[PatternLanguage]:
    """Return the languages whose script is in a text; their words of doubt count for all of it."""
    found = [name for name, letters in _SCRIPTS.items() if letters.search(text)]
    return [language(name) for name in (*LATIN, *found)]


def is_standing_request(sentence: str) -> bool:
    """Return whether a sentence asks for something from now on: "always answer in French"."""
    return any(
        rule.regex.match(sentence)
        for each in languages_in(sentence)
        for rule in each.rules
        if rule.meaning.standing
    )


def languages_of(sentence: str, message: str) -> list[PatternLanguage]:
    """Return the language of a sentence by its script or its words.

    If several are equal, the words of the message decide; then all of them are returned.
    """
    script = next((name for name, letters in _SCRIPTS.items() if letters.search(sentence)), None)
    if script:
        return [language(script)]
    names = _most_common(sentence, LATIN)
    return [language(name) for name in (_most_common(message, names) if len(names) > 1 else names)]


def _most_common(text: str, names: Sequence[str]) -> Sequence[str]:
    """Return the languages with the most common words in a text; none if it has none."""
    words = {word.lower() for word in _WORD.findall(text)}
    scores = {name: len(words & language(name).common_words) for name in names}
    most = max(scores.values(), default=0)
    return [name for name in names if most and scores[name] == most]
