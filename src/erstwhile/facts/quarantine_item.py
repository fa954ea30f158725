"""A fact in quarantine, and why it is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from erstwhile.facts.fact import Fact

_HELD = "held"
"""Where the metadata of a fact say why it was held back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A fact that takes no part in answers until somebody approves it."""

    fact: Fact
    reason: str
    rule: str
    """What held it: a rule of the guard, or "origin/web" and the like."""

    @property
    def id(self) -> str:
        return self.fact.id


def held_because(rule: str, reason: str) -> dict[str, Any]:
    """What the metadata of a fact say that is held back."""
    return {_HELD: {"rule": rule, "reason": reason}}


def to_held(fact: Fact) -> Held:
    """The reason that its metadata give, and otherwise its origin."""
    told = fact.metadata.get(_HELD)
    if isinstance(told, Mapping) and {"rule", "reason"} <= told.keys():
        return Held(fact=fact, reason=str(told["reason"]), rule=str(told["rule"]))
    return Held(fact=fact, reason=f"it came from {fact.origin}", rule=f"origin/{fact.origin}")


def let_in(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """The metadata of a fact that is no longer held back."""
    return {name: value for name, value in metadata.items() if name != _HELD}
