"""The words of `words.toml`: forms of verbs, nouns with their kinds, and patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

from erstwhile.core.kinds import Kind
from erstwhile.letter_case import AnyCase
from erstwhile.rule_files import RuleFile, read_rules

_NOUN_KINDS = {
    "kin": Kind.RELATION,
    "pets": Kind.RELATION,
    "health": Kind.PROFILE,
    "home": Kind.PROFILE,
    "things": Kind.PROFILE,
    "work": Kind.PROFILE,
    "study": Kind.PROFILE,
    "leisure": Kind.PROFILE,
    "traits": Kind.PROFILE,
}
_DOUBLED = re.compile(r"[^aeiou][aeiou][bdglmnprt]$")


class Tense(StrEnum):
    """The form of a verb, as far as it matters here."""

    PRESENT = "present"
    THIRD = "third"
    PAST = "past"
    ONGOING = "ongoing"


class Verb(NamedTuple):
    """A form of a verb."""

    base: str
    tense: Tense
    telling: bool
    """Whether its statements are personal whatever they are about."""


def _file() -> RuleFile:
    return read_rules(Path(__file__).with_name("words.toml"))


@cache
def listed(name: str) -> frozenset[str]:
    """Return a list of words."""
    return frozenset(_file().words[name])


@cache
def part(name: str) -> AnyCase:
    """Return a pattern."""
    return AnyCase(_file().parts[name])


@cache
def nouns() -> dict[str, Kind]:
    """Return the nouns of life, with the kinds of statements about them."""
    return {word: kind for name, kind in _NOUN_KINDS.items() for word in _file().words[name]}


@cache
def verbs() -> dict[str, Verb]:
    """Return the verbs by their forms."""
    found = dict[str, Verb]()
    for name, telling in (("common", False), ("telling", True)):
        for base in _file().words[name]:
            found.update(_regular(base, telling))
        for row in _file().words[f"{name}_irregular"]:
            base, third, past, participle, ongoing = row.split()
            found |= {participle: Verb(base, Tense.PAST, telling)}
            found |= {ongoing: Verb(base, Tense.ONGOING, telling)}
            found |= {past: Verb(base, Tense.PAST, telling)}
            found |= {third: Verb(base, Tense.THIRD, telling)}
            found |= {base: Verb(base, Tense.PRESENT, telling)} if base != past else {}
    return found


def _regular(base: str, telling: bool) -> Iterator[tuple[str, Verb]]:
    """Yield the forms of a regular verb. A doubled consonant is accepted with many verbs."""
    consonant_y = re.search(r"[^aeiou]y$", base) is not None
    third = base[:-1] + "ies" if consonant_y else base + "s"
    if base.endswith(("s", "x", "z", "ch", "sh")):
        third = base + "es"
    past = base[:-1] + "ied" if consonant_y else base.removesuffix("e") + "ed"
    pasts = [past] + ([base + base[-1] + "ed"] if _DOUBLED.search(base) else [])
    ongoing = [base.removesuffix("e") + "ing"]
    ongoing += [base + base[-1] + "ing"] if _DOUBLED.search(base) else []
    yield base, Verb(base, Tense.PRESENT, telling)
    yield third, Verb(base, Tense.THIRD, telling)
    yield from ((form, Verb(base, Tense.PAST, telling)) for form in pasts)
    yield from ((form, Verb(base, Tense.ONGOING, telling)) for form in ongoing)
