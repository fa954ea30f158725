"""Facts held in quarantine: the reason and the proposed change, kept in their metadata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from erstwhile.core.kinds import Origin
from erstwhile.core.public_record import PublicRecord, public_record

if TYPE_CHECKING:
    from erstwhile.facts.fact import Fact

_HELD = "held"
"""The key of the metadata that says why a fact is held back."""
_PROPOSED = "proposed"
_MAX_FACTS = 10
"""How many facts one proposal replaces or ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The change made by an approval."""

    key: str | None = None
    value: str | None = None
    replaces: tuple[str, ...] = ()
    """The ids of the facts that it replaces or ends."""
    ends: bool = False
    """Whether these facts only end; the text in quarantine says so, and is no fact."""
    wrong: bool = False
    """Whether what ends was never true."""
    kept: str | None = None
    """The id of the fact that stays and supersedes what ends, if there is one."""

    def __bool__(self) -> bool:
        return self.key is not None or bool(self.replaces)

    def to_metadata(self) -> dict[str, Any]:
        """Return the fields with a value, as JSON."""
        stored = {**asdict(self), "replaces": list(self.replaces[:_MAX_FACTS])}
        return {name: value for name, value in stored.items() if value}


def proposal_of(metadata: Mapping[str, Any]) -> Proposal:
    """Return the change proposed by a held fact; an empty proposal without one.

    Metadata may hold anything.
    """
    held = metadata.get(_HELD)
    stored = held.get(_PROPOSED) if isinstance(held, Mapping) else None
    if not isinstance(stored, Mapping):
        return Proposal()
    key, value, ids, kept = (stored.get(name) for name in ("key", "value", "replaces", "kept"))
    has_key = isinstance(key, str)
    return Proposal(
        key=key if has_key else None,
        value=value if has_key and isinstance(value, str) else None,
        replaces=tuple(map(str, ids[:_MAX_FACTS])) if isinstance(ids, list | tuple) else (),
        ends=stored.get("ends") is True,
        wrong=stored.get("wrong") is True,
        kept=kept if isinstance(kept, str) else None,
    )


@public_record
class Held(PublicRecord):
    """A fact in quarantine, with the reason."""

    _shown = ("fact.short_id", "reason", "fact.text")
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
    """Return the metadata of a held fact: the rule, the reason, and the proposed change."""
    more = {_PROPOSED: proposal.to_metadata()} if proposal else {}
    return {_HELD: {"rule": rule, "reason": reason, **more}}


def why_held(metadata: Mapping[str, Any]) -> tuple[str, str] | None:
    """Read the rule and the reason from metadata; None without them."""
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
    """Return the rule and the reason for quarantining a fact of this origin."""
    return f"origin/{origin}", f"it came from {origin}"


def with_mark_of(held: Mapping[str, Any], new: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return new metadata with the mark of `held_because` that a fact has, and no other."""
    return {**without_mark(new), **{name: value for name, value in held.items() if name == _HELD}}


def without_mark(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the metadata without the mark of `held_because`."""
    return {name: value for name, value in metadata.items() if name != _HELD}
