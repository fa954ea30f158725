"""What may happen to a fact, as pure functions from one state to the next.

Superseded, wrong and expired are different endings. Superseded: true once, then replaced. Wrong:
never true, so no valid time is left. Expired: its time ran out. None of them destroys anything,
and each can be undone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.core.kinds import Ending, Origin, Tier, Trust
from erstwhile.core.metadata import checked_metadata
from erstwhile.core.text import folded
from erstwhile.core.time import FOREVER
from erstwhile.facts.draft import MAX_ENTITIES, MAX_RELATIONS, MAX_TAGS, Draft, limited
from erstwhile.facts.fact import Fact, Relation

_TIERS = list(Tier)
_MAX_ENTITIES = MAX_ENTITIES + 2 * MAX_RELATIONS
"""Those that were named, and the ends of the relations."""


def repeated(fact: Fact, again: Draft, at: datetime) -> Fact:
    """The same statement was made once more: it gains evidence, and loses nothing.

    What is trusted gains by the trusted only. What is not never becomes so by being repeated.
    """
    if fact.trust is Trust.TRUSTED and not again.trusted:
        return fact
    tier = _repeated_tier(fact, again)
    merged = replace(
        fact,
        known_from=at,
        evidence=fact.evidence + 1,
        tier=tier,
        confidence=_raised(max(fact.confidence, again.confidence), tier),
        entities=_joined(fact.entities, again.entities, "entities", _MAX_ENTITIES),
        tags=_joined(fact.tags, again.tags, "tags", MAX_TAGS),
        relations=_union(fact.relations, again.relations),
        metadata=_merged(fact.metadata, again.metadata),
        pinned=fact.pinned or again.pinned,
    )
    # One that speaks of a time gone by says nothing of when this ends.
    renews = again.expires_at is not None and again.expires_at > max(at, fact.valid_from)
    return replace(merged, expires_at=again.expires_at) if renews else merged


def confirmed(fact: Fact, at: datetime) -> Fact:
    """Someone trusted nodded: at least confirmed, and out of quarantine."""
    tier = _higher(fact.tier, Tier.CONFIRMED)
    return replace(
        fact,
        known_from=at,
        evidence=fact.evidence + 1,
        tier=tier,
        confidence=_raised(fact.confidence, tier),
        trust=Trust.TRUSTED,
    )


def retired(
    fact: Fact,
    ending: Ending,
    *,
    at: datetime,
    ended: datetime | None = None,
    successor: str | None = None,
) -> Fact:
    """The fact with its ending. `ended` is when it stopped being true, by default now."""
    if fact.retired_at is not None:
        raise ConflictError(f"{fact.id} ended already ({fact.ending})", remedy="see its history")
    if ended is not None and ended > at:
        raise InvalidInputError("it cannot have ended in the future", remedy="use expires_at")
    end = fact.valid_from if ending is Ending.WRONG else min(ended or at, fact.ends_at or FOREVER)
    return replace(
        fact,
        known_from=at,
        retired_at=at,
        ending=ending,
        valid_to=max(end, fact.valid_from),
        superseded_by=successor,
    )


def clipped(fact: Fact, successor: Fact, at: datetime) -> Fact:
    """The fact cut short where another value of its key begins, or now if that is still to come."""
    start = min(successor.valid_from, at)
    if fact.retired_at is None:
        ending = Ending.EXPIRED if (fact.ends_at or FOREVER) <= start else Ending.SUPERSEDED
        return retired(fact, ending, at=at, ended=start, successor=successor.id)
    return replace(fact, known_from=at, valid_to=max(fact.valid_from, start))


def overlapping(one: Fact, other: Fact) -> bool:
    """Whether there is a moment at which both are true."""
    begin = max(one.valid_from, other.valid_from)
    return begin < min(one.ends_at or FOREVER, other.ends_at or FOREVER)


def revived(fact: Fact, before: Fact, at: datetime) -> Fact:
    """The retirement taken back: the ends are again what they were before it."""
    return replace(
        fact,
        known_from=at,
        retired_at=None,
        ending=None,
        valid_to=before.valid_to,
        superseded_by=None,
    )


def _repeated_tier(fact: Fact, again: Draft) -> Tier:
    """A second, independent assertion confirms what was only inferred."""
    if not again.trusted:
        return fact.tier
    same_voice = again.origin is fact.origin and again.source == fact.source
    independent = again.origin is Origin.PERSON or not same_voice
    best = _higher(fact.tier, again.tier)
    return _higher(best, Tier.CONFIRMED) if independent else best


def _higher(one: Tier, other: Tier) -> Tier:
    return max(one, other, key=_TIERS.index)


def _raised(confidence: float, tier: Tier) -> float:
    """Each piece of evidence closes half of the gap to what the tier allows."""
    return min(tier.cap, confidence + (tier.cap - confidence) / 2)


def _joined(held: tuple[str, ...], more: tuple[str, ...], name: str, limit: int) -> tuple[str, ...]:
    known = {folded(label) for label in held}
    added = tuple(label for label in more if folded(label) not in known)
    return tuple(limited(held + added, name, limit))


def _union(held: tuple[Relation, ...], more: tuple[Relation, ...]) -> tuple[Relation, ...]:
    return tuple(limited(tuple(dict.fromkeys((*held, *more))), "relations", MAX_RELATIONS))


def _merged(held: Mapping[str, Any], more: Mapping[str, Any]) -> Mapping[str, Any]:
    return checked_metadata({**held, **more}) if more else held
