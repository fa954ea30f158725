"""Find the attribute with one value in a quoted statement: "Ich wohne in Leipzig" names a home.

What a clause tells besides must not go when the value changes. So "Vivo en Lugo con mi hermana"
becomes two statements: where the user lives, and with whom.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

from erstwhile.learning.patterns.plain.quoted_clauses import QuotedWording
from erstwhile.rule_files import RuleFile, TextRule, read_rules


class Attribute(NamedTuple):
    """The key of an attribute, and its bare value."""

    key: str
    value: str


Told: TypeAlias = tuple[str, Attribute | None]
"""A statement, and the attribute whose value it is."""


@dataclass(frozen=True, kw_only=True)
class AttributeRule(TextRule):
    """A way to name the value of an attribute, in the group `value`, `moved` or `before`.

    The group `head` is what another statement begins with that is told in the same clause: with
    the group `apart`, or with what follows the value.
    """

    key: str
    value: str = ""
    """The value, if the words are not the value themselves."""

    @property
    def flags(self) -> re.RegexFlag:
        return re.IGNORECASE


def told_apart(wording: QuotedWording, language: str) -> Sequence[Told]:
    """Return what a clause tells: the value of an attribute, and what is told besides."""
    for rule in attribute_rules():
        if rule.name == language and (found := rule.regex.match(wording.read)):
            return _with_value(rule, found, wording)
    return [(wording.quoted, None)]


def _with_value(
    rule: AttributeRule, found: re.Match[str], wording: QuotedWording
) -> Sequence[Told]:
    groups = found.groupdict("")
    values = (groups.get(name, "") for name in ("value", "moved", "before"))
    named = Attribute(rule.key, rule.value or next(filter(None, values), found[0]))
    head, apart = groups.get("head", ""), groups.get("apart", "")
    rest = wording.read[found.end() :]
    besides = [(_joined(head, apart), None)] if apart else []
    if _part("time").fullmatch(rest) or (rule.key == "home" and _part("place").fullmatch(rest)):
        return [(wording.quoted, named), *besides]
    if head and _part("besides").fullmatch(rest):
        return [(found[0], named), (_joined(head, apart, rest), None)]
    return [(wording.quoted, None)]


def _joined(*parts: str) -> str:
    return " ".join(" ".join(parts).split())


@cache
def attribute_rules() -> tuple[AttributeRule, ...]:
    """Return the rules for attributes in quoted statements."""
    return _file().rules_as(AttributeRule)


@cache
def _part(name: str) -> re.Pattern[str]:
    return re.compile(_file().parts[name], re.IGNORECASE)


def _file() -> RuleFile:
    return read_rules(Path(__file__).with_name("attributes.toml"))
