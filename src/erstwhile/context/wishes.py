"""Choose the standing wishes that belong in every context.

A later wish about the same thing replaces an earlier one: "call me Mel", then "call me Melanie".
Two wishes are about the same thing if they set the same aspect (`wishes.toml`) or have nearly the
same words, and hold in the same cases. A wish of a wider scope, such as of a project that many
people share, replaces and ends none of a narrower one. The order is that in which they were said: a
new wish follows the others, so that the prefix of a context changes only at its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from pathlib import Path

from erstwhile.core.scope import SHARED, Scope
from erstwhile.rule_files import RuleFile, TextRule, read_rules
from erstwhile.search.terms import is_unspaced, stop_terms, terms
from erstwhile.search.wishes import Strength

MOST = 12
"""The most wishes of a context."""
MAX_CHARS = 1_500
"""The most characters of all wishes of a context."""
_READ = 100
"""The newest candidates that are compared with each other."""
_LONGEST = 400
"""The characters of a wish that are compared."""
_ALIKE = 0.75
"""The share of common words from which two wishes are about the same thing."""
_ENDS = 0.5
"""The share of its words that an ending has in common with a wish that it is about, at least."""
_FEW = 3
"""An aspect replaces a wish only if it says little else, so that nothing more is lost."""
_WORD = re.compile(r"\w+")
_JOINING = frozenset(("and", "so", "but", "please", "und", "bitte", "y", "et"))


@dataclass(frozen=True, kw_only=True)
class Stated:
    """A wish with the time and the record in which it was stated."""

    text: str
    said_at: datetime
    id: str
    """The id of the record. It decides the order of wishes of the same time."""
    strength: Strength
    start: int = 0
    """Its place in the record. It decides the order of wishes of the same record."""
    scope: Scope = SHARED
    """The scope of the record."""


@dataclass(frozen=True, slots=True)
class WishCues:
    """Patterns for words inside a wish, named like their parts of the file."""

    frame: re.Pattern[str]
    negation: re.Pattern[str]
    condition: re.Pattern[str]
    unspaced_condition: re.Pattern[str]


class _Subject:
    """What a wish is about."""

    def __init__(self, stated: Stated) -> None:
        self.stated = stated
        text = " ".join(stated.text[:_LONGEST].lower().replace("’", "'").split())
        case = _condition(text)
        self.words = _content(text.replace(case, " ", 1) if case else text)
        """The words of what is wished for."""
        self.condition = _content(case)
        """The words of the cases in which it holds; none if it always holds."""
        self.aspects = _aspects(text.replace(case, " ", 1) if case else text)
        """The names of the aspects that it sets."""
        self.negated = _cues().negation.search(text) is not None
        self.wording = [word for word in _WORD.findall(text) if word not in _JOINING]
        """All words in their order, without those that join clauses."""

    @property
    def size(self) -> int:
        """The number of words of what is wished for; two letters of Chinese are one."""
        letters = sum(len(word) == 1 and is_unspaced(word) for word in self.words)
        return letters // 2 + sum(not is_unspaced(word) for word in self.words)


def standing(
    candidates: Iterable[Stated], *, most: int = MOST, max_chars: int = MAX_CHARS
) -> list[Stated]:
    """Return the wishes that hold now, oldest first: the strongest and newest that fit."""
    live: list[_Subject] = []
    for each in map(_Subject, sorted(candidates, key=_order)[-_READ:]):
        if each.stated.strength is Strength.ENDING:
            live = [old for old in live if not _ends(each, old)]
        elif each.stated.strength is not Strength.TOPIC and not _is_settled(each, live):
            live = [*(old for old in live if not _replaces(each, old)), each]
    return sorted(_fitting([each.stated for each in live], most, max_chars), key=_order)


def _order(stated: Stated) -> tuple[datetime, str, int]:
    return stated.said_at, stated.id, stated.start


def _fitting(live: Sequence[Stated], most: int, max_chars: int) -> list[Stated]:
    """Return the strongest and newest wishes within both bounds."""
    chosen: list[Stated] = []
    for each in sorted(live, key=lambda each: (each.strength, *_order(each)), reverse=True):
        if len(chosen) < most and len(each.text) <= max_chars:
            chosen.append(each)
            max_chars -= len(each.text)
    return chosen


def _is_settled(later: _Subject, live: Sequence[_Subject]) -> bool:
    """Return whether a wish says the same again, or a narrower scope has one about the same thing.

    Then the earlier one keeps its place.
    """
    return any(
        later.wording == each.wording
        if later.stated.scope == each.stated.scope
        else _replaces(each, later)
        for each in live
    )


def _replaces(stronger: _Subject, other: _Subject) -> bool:
    """Return whether a wish that is later or of a narrower scope stands in place of another."""
    if not stronger.stated.scope.sees(other.stated.scope):
        return False
    if stronger.condition and _share(stronger.condition, other.condition) < _ALIKE:
        return False  # it holds in other cases only
    if other.condition and not stronger.condition and other.negated != stronger.negated:
        return False  # the other is an exception
    if not other.aspects.isdisjoint(stronger.aspects) and other.size <= _FEW:
        return True
    return _share(stronger.words, other.words) >= _ALIKE


def _ends(ending: _Subject, wish: _Subject) -> bool:
    if not ending.stated.scope.sees(wish.stated.scope):
        return False
    if _ends_all(ending) or not wish.aspects.isdisjoint(ending.aspects):
        return True
    return len(ending.words & wish.words) > _ENDS * len(ending.words)


def _ends_all(ending: _Subject) -> bool:
    text = ending.stated.text.lower()
    return not ending.words and any(word in text for word in _file().words["everything"])


def _share(some: AbstractSet[str], others: AbstractSet[str]) -> float:
    """Return the share of common words among all words of both."""
    every = len(some | others)
    return len(some & others) / every if every else 1.0


def _condition(text: str) -> str:
    """Return the clause that limits a wish to some cases, or nothing."""
    found = _cues().condition.search(text)
    if not found and not text.isascii():
        found = _cues().unspaced_condition.search(text)
    return found[0] if found else ""


def _content(text: str) -> frozenset[str]:
    """Return the terms of a text without the words that only make it a wish."""
    bare = text if text.isascii() else _cues().frame.sub(" ", text)
    return frozenset(terms(bare)) - _frame_terms()


def _aspects(text: str) -> frozenset[str]:
    return frozenset(
        rule.name
        for rule in aspect_rules()
        if any(hint in text for hint in rule.hints) and rule.regex.search(text)
    )


@cache
def _frame_terms() -> frozenset[str]:
    return stop_terms() | frozenset(terms(" ".join(_file().words["frame"])))


@cache
def _cues() -> WishCues:
    parts = _file().parts
    return WishCues(**{each.name: re.compile(parts[each.name]) for each in fields(WishCues)})


@cache
def aspect_rules() -> tuple[TextRule, ...]:
    """Return the rules for aspects of answers that have one value at a time."""
    return _file().rules_as(TextRule)


def _file() -> RuleFile:
    return read_rules(Path(__file__).with_name("wishes.toml"))
