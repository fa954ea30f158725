"""Words that tell who speaks in a message, read from `own_words.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from erstwhile.letter_case import AnyCase
from erstwhile.rule_files import RuleFile, TextRule, read_rules

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class Grade(StrEnum):
    """How likely it is that words are somebody else's."""

    FOREIGN = "foreign"
    DOUBTFUL = "doubtful"
    UNPROVEN = "unproven"
    SIGN = "sign"
    """No grade: the rule is read in questions or labels only."""


@dataclass(frozen=True, kw_only=True)
class PastedRule(TextRule):
    """A sentence that introduces pasted text, or a sign of such text."""

    before: bool = False
    """Whether the pasted text stands before the sentence, not after it."""
    apart: str = ""
    """What separates the sentence from pasted text on both sides; nothing if it is on one side."""
    grade: Grade = Grade.UNPROVEN
    """What the other words are because of it."""

    @property
    def flags(self) -> re.RegexFlag:
        return re.IGNORECASE | re.MULTILINE


def words_in(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [word.casefold() for word in _WORD.findall(text)]


def speaks_of_user(text: str) -> bool:
    """Return whether a text has a word such as "I" or "our"."""
    return is_first_person(words_in(text))


def is_first_person(words: Iterable[str]) -> bool:
    """Return whether a word in lower case speaks of the user."""
    known, signs = words_of("first_person"), words_of("first_person_signs")
    return any(
        word in known or word.partition("'")[0] in known or not signs.isdisjoint(word)
        for word in words
    )


def passes_on(words: Iterable[str]) -> bool:
    """Return whether a word tells what somebody says, or where a text is from."""
    known, signs = words_of("saying") | words_of("receiving"), words_of("saying_signs")
    return any(
        word in known
        or word.replace("’", "'").rpartition("'")[2] in known
        or not signs.isdisjoint(word)
        for word in words
    )


def names_text(words: Sequence[str]) -> bool:
    """Return whether some words name a text that is not said to be the user's."""
    own = words_of("other_cases") - words_of("objects")
    return not (own.intersection(words) or words_of("texts").isdisjoint(words))


def asks_for_work(label: str) -> bool:
    """Return whether some words ask for work on a text: "translate", "summarise"."""
    return any(True for _ in in_any_case(sign("work")).found_in(label))


def asks_about_text(sentence: str) -> bool:
    """Return whether some words ask about a text: "is this real?"."""
    return any(True for _ in in_any_case(sign("asked")).found_in(sentence))


def points(sentence: str) -> bool:
    """Return whether a word may mean a text beside it, such as "it" or "this"."""
    return any(True for _ in in_any_case(sign("pointing")).found_in(sentence))


@cache
def pasted_rules() -> tuple[PastedRule, ...]:
    """Return the rules for sentences that introduce pasted text."""
    return _file().rules_as(PastedRule, grade=Grade)


@cache
def sign(name: str) -> str:
    """Return the pattern of a rule."""
    return next(rule.pattern for rule in pasted_rules() if rule.name == name)


@cache
def in_any_case(pattern: str) -> AnyCase:
    """Return a pattern that is found in small and capital letters."""
    return AnyCase(pattern, re.MULTILINE)


@cache
def words_of(name: str) -> frozenset[str]:
    """Return a list of words of the file."""
    return frozenset(_file().words[name])


@cache
def _file() -> RuleFile:
    return read_rules(Path(__file__).with_name("own_words.toml"))
