"""A fact in quarantine, and the metadata that say why it is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from erstwhile.core.kinds import Origin
from erstwhile.facts.fact import Fact
from erstwhile.facts.proposal import Proposal, to_proposal
from erstwhile.secrets.masking import masked_repr

_HELD = "held"
"""The key of the metadata that says why a fact is held back."""
_PROPOSED = "proposed"


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A fact in quarantine, with the reason."""

    fact: Fact
    reason: str
    rule: str
    """The rule of the guard that held it, or its origin, such as "origin/web"."""
    key: str | None = None
    """The key whose value it becomes when it is approved."""
    replaces: tuple[str, ...] = ()
    """The ids of the facts that end when it is approved."""
    ends: bool = False
    """Whether it only ends these facts."""

    @property
    def id(self) -> str:
        return self.fact.id


def held_because(rule: str, reason: str, proposal: Proposal | None = None) -> dict[str, Any]:
    """Return the metadata that mark a fact as held back, and say what its approval changes."""
    more = {_PROPOSED: proposal.to_metadata()} if proposal else {}
    return {_HELD: {"rule": rule, "reason": reason, **more}}


def proposal_of(metadata: Mapping[str, Any]) -> Proposal:
    """Return what the approval of a held fact changes besides; nothing without a mark."""
    held = metadata.get(_HELD)
    return to_proposal(held.get(_PROPOSED) if isinstance(held, Mapping) else None)


def why_held(metadata: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the rule and the reason that the metadata hold; None without them."""
    held = metadata.get(_HELD)
    if isinstance(held, Mapping) and {"rule", "reason"} <= held.keys():
        return str(held["rule"]), str(held["reason"])
    return None


def to_held(fact: Fact) -> Held:
    """Return the fact with the reason from its metadata, or else with its origin."""
    rule, reason = why_held(fact.metadata) or why_outside(fact.origin)
    proposal = proposal_of(fact.metadata)
    return Held(
        fact=fact,
        reason=reason,
        rule=rule,
        key=proposal.key or fact.key,
        replaces=proposal.replaces,
        ends=proposal.ends,
    )


def why_outside(origin: Origin) -> tuple[str, str]:
    """Return the rule and the reason for which a fact of this origin is in quarantine."""
    return f"origin/{origin}", f"it came from {origin}"


def let_in(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the metadata without the mark of `held_because`."""
    return {name: value for name, value in metadata.items() if name != _HELD}
