"""Find the attribute with one value in a quoted statement: "Ich wohne in Leipzig" names a home."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from erstwhile.learning.moods import adds_beside, clauses_around, is_temporary
from erstwhile.rule_files import TextRule, read_rules

_TIME = re.compile(
    r"(?: (?!.{0,60}\b(?:und|y|e|et|con|mit|avec)\b)(?:hace|desde|seit|depuis|il y a|en|im|el|la)\b"
    r"[\w ]{0,40})?",
    re.IGNORECASE,
)
"""What may follow a value. A clause that tells more must not go when the value changes."""


class Attribute(NamedTuple):
    """The key of an attribute, and its bare value."""

    key: str
    value: str


@dataclass(frozen=True, kw_only=True)
class AttributeRule(TextRule):
    """A way to name the value of an attribute, in the group `value` or `moved`."""

    key: str

    @property
    def flags(self) -> re.RegexFlag:
        return re.IGNORECASE


def attribute_in(said: str, sentence: str, language: str) -> Attribute | None:
    """Return the attribute that a clause names plainly; None if it is in doubt."""
    for rule in attribute_rules():
        if rule.name == language and (found := rule.regex.match(said)):
            value = next(filter(None, found.groupdict().values()))
            alone = _TIME.fullmatch(said, found.end()) is not None
            return Attribute(rule.key, value) if alone and not _is_partial(said, sentence) else None
    return None


def _is_partial(said: str, sentence: str) -> bool:
    """Return whether a value holds for a while, or beside another one."""
    start = sentence.find(said)
    around = clauses_around(sentence, start, start + len(said))
    return is_temporary(sentence) or adds_beside(around)


@cache
def attribute_rules() -> tuple[AttributeRule, ...]:
    """Return the rules for attributes in quoted statements."""
    return read_rules(Path(__file__).with_name("attributes.toml")).rules_as(AttributeRule)
