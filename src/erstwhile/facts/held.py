"""A fact in quarantine, and the metadata that say why it is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from erstwhile.facts.fact import Fact
from erstwhile.secrets.masking import masked_repr

_HELD = "held"
"""The key of the metadata that says why a fact is held back."""


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A fact in quarantine, with the reason."""

    fact: Fact
    reason: str
    rule: str
    """The rule of the guard that held it, or its origin, such as "origin/web"."""

    @property
    def id(self) -> str:
        return self.fact.id


def held_because(rule: str, reason: str) -> dict[str, Any]:
    """Return the metadata that mark a fact as held back."""
    return {_HELD: {"rule": rule, "reason": reason}}


def why_held(metadata: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the rule and the reason that the metadata hold; None without them."""
    held = metadata.get(_HELD)
    if isinstance(held, Mapping) and {"rule", "reason"} <= held.keys():
        return str(held["rule"]), str(held["reason"])
    return None


def to_held(fact: Fact) -> Held:
    """Return the fact with the reason from its metadata, or else with its origin."""
    if (why := why_held(fact.metadata)) is not None:
        rule, reason = why
        return Held(fact=fact, reason=reason, rule=rule)
    return Held(fact=fact, reason=f"it came from {fact.origin}", rule=f"origin/{fact.origin}")


def let_in(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the metadata without the mark of `held_because`."""
    return {name: value for name, value in metadata.items() if name != _HELD}
