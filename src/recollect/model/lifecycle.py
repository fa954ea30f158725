"""What may happen to a fact, as pure functions from one state to the next.

Superseded, wrong and expired are different endings. Superseded: true once, then replaced. Wrong:
never true, so no valid time is left. Expired: its time ran out. None of them destroys anything,
and each can be undone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import TypeVar

from recollect.model.draft import Draft
from recollect.model.errors import ConflictError, InvalidInputError
from recollect.model.fact import Fact
from recollect.model.kinds import Ending, Origin, Tier, Trust
from recollect.model.text import folded
from recollect.model.time import FOREVER

_TIERS = list(Tier)
_Value = TypeVar("_Value")


def repeated(fact: Fact, again: Draft, at: datetime) -> Fact:
    """The same statement was made once more: it gains evidence, and loses nothing."""
    if fact.trust is Trust.TRUSTED and not again.trusted:
        return fact
    tier = _repeated_tier(fact, again)
    merged = replace(
        fact,
        known_from=at,
        evidence=fact.evidence + 1,
        tier=tier,
        confidence=_raised(max(fact.confidence, again.confidence), tier),
        trust=Trust.TRUSTED if again.trusted else fact.trust,
        entities=_joined(fact.entities, again.entities),
        tags=_joined(fact.tags, again.tags),
        relations=_union(fact.relations, again.relations),
        metadata=MappingProxyType({**fact.metadata, **again.metadata}),
        pinned=fact.pinned or again.pinned,
    )
    return merged if again.expires_at is None else replace(merged, expires_at=again.expires_at)


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
    because: Ending,
    *,
    at: datetime,
    ended: datetime | None = None,
    successor: str | None = None,
) -> Fact:
    """The fact with its ending. `ended` is when it stopped being true, by default now."""
    if fact.retired_at is not None:
        raise ConflictError(
            f"{fact.id} ended already ({fact.retired_because})", remedy="see its history"
        )
    if ended is not None and ended > at:
        raise InvalidInputError("it cannot have ended in the future", remedy="use expires_at")
    end = fact.valid_from if because is Ending.WRONG else min(ended or at, fact.ends_at or FOREVER)
    return replace(
        fact,
        known_from=at,
        retired_at=at,
        retired_because=because,
        valid_to=max(end, fact.valid_from),
        superseded_by=successor,
    )


def clipped(fact: Fact, successor: Fact, at: datetime) -> Fact:
    """The fact cut short where another value of its key begins."""
    start = successor.valid_from
    if fact.retired_at is None:
        because = Ending.EXPIRED if (fact.ends_at or FOREVER) <= start else Ending.SUPERSEDED
        return retired(fact, because, at=at, ended=start, successor=successor.id)
    return replace(fact, known_from=at, valid_to=max(fact.valid_from, start))


def revived(fact: Fact, before: Fact, at: datetime) -> Fact:
    """The retirement taken back: the ends are again what they were before it."""
    return replace(
        fact,
        known_from=at,
        retired_at=None,
        retired_because=None,
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


def _joined(held: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    known = {folded(name) for name in held}
    return held + tuple(name for name in more if folded(name) not in known)


def _union(held: Iterable[_Value], more: Iterable[_Value]) -> tuple[_Value, ...]:
    return tuple(dict.fromkeys((*held, *more)))
