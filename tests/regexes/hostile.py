"""Make texts from a pattern that make it slow, if anything does.

A pattern is slow where a repetition is tried again from many places: so each repetition is fed with
what it repeats, once behind the words that lead to it, and once with these words over and over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from re import _constants as code  # type: ignore[attr-defined,unused-ignore]
from re import _parser as parser  # type: ignore[attr-defined,unused-ignore]
from typing import Any, NamedTuple

_REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)
_CATEGORIES = {
    code.CATEGORY_DIGIT: r"\d", code.CATEGORY_NOT_DIGIT: r"\D", code.CATEGORY_SPACE: r"\s",
    code.CATEGORY_NOT_SPACE: r"\S", code.CATEGORY_WORD: r"\w", code.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip
_CHARACTERS = "a1 -.\n,'我☃"
_FILLERS = ("a", " ", "-", "1", '"', "\n", "a ", ". ", "a1", "我", ", ", "A", "=")
_MAX_LEAD = 60
_MAX_SEEDS = 60
"""The most texts of a pattern. Large patterns are lists of alternatives that are much alike."""


class Seed(NamedTuple):
    """The beginning of a hostile text, and what is repeated behind it."""

    lead: str
    repeated: str

    def text(self, length: int) -> str:
        return (self.lead + self.repeated * (length // len(self.repeated) + 1))[:length]


def seeds(pattern: str, flags: int) -> list[Seed]:
    tree = parser.parse(pattern, flags)
    whole = _sample(tree)[: 2 * _MAX_LEAD]
    made = dict.fromkeys(Seed("", each) for each in (*_FILLERS, whole, whole[:-1]))
    for lead, body in _repetitions(tree, ""):
        lead = lead[-_MAX_LEAD:]
        made |= dict.fromkeys((Seed("", lead + body), Seed(lead, body), Seed("", body)))
    usable = [each for each in made if each.repeated]
    return usable[:: len(usable) // _MAX_SEEDS + 1]


def _repetitions(items: Iterable[Any], lead: str) -> Iterator[tuple[str, str]]:
    """Yield what each repetition repeats, and what leads to it."""
    for operation, value in items:
        if operation in _REPEATS and value[1] > 1:
            yield lead, _sample(value[2]) or "a"
        for inner in _inner(operation, value):
            yield from _repetitions(inner, lead)
        lead += _sample([(operation, value)])


def _inner(operation: Any, value: Any) -> list[Any]:
    if operation in _REPEATS:
        return [value[2]]
    if operation is code.BRANCH:
        return list(value[1])
    if operation is code.SUBPATTERN:
        return [value[3]]
    if operation is code.ATOMIC_GROUP:
        return [value]
    return [value[1]] if operation in (code.ASSERT, code.ASSERT_NOT) else []


def _sample(items: Iterable[Any]) -> str:
    """Return a text that the items match; borders and looks ahead are not considered."""
    return "".join(_one(operation, value) for operation, value in items)


def _one(operation: Any, value: Any) -> str:
    if operation is code.LITERAL:
        return chr(value)
    if operation in _REPEATS:
        return _sample(value[2]) * int(value[0])
    if operation in (code.ASSERT, code.ASSERT_NOT):
        return ""
    if inner := _inner(operation, value):
        return _sample(inner[0])
    if operation in (code.IN, code.NOT_LITERAL, code.ANY):
        return next(each for each in _candidates(value) if _fits(operation, value, each))
    return ""


def _candidates(value: Any) -> Iterator[str]:
    yield from _CHARACTERS
    for kind, given in value if isinstance(value, list) else ():
        if kind in (code.LITERAL, code.RANGE):
            yield chr(given if kind is code.LITERAL else given[0])
    yield from map(chr, range(0x2600, 0x2700))


def _fits(operation: Any, value: Any, character: str) -> bool:
    if operation is code.ANY:
        return True
    if operation is code.NOT_LITERAL:
        return bool(ord(character) != value)
    negated = value[0][0] is code.NEGATE
    return negated != any(_is_in(kind, given, character) for kind, given in value)


def _is_in(kind: Any, given: Any, character: str) -> bool:
    if kind is code.LITERAL:
        return bool(ord(character) == given)
    if kind is code.RANGE:
        return bool(given[0] <= ord(character) <= given[1])
    return kind is code.CATEGORY and bool(re.match(_CATEGORIES[given], character))
