"""The life cycle of a fact, as pure functions from one state to the next.

A superseded fact was true, then replaced. A wrong fact was never true, so it has no valid time. An
expired fact has passed its `expires_at`. No ending destroys anything, and each can be undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.core.kinds import Ending, Origin, Tier, Trust
from erstwhile.core.text import checked_metadata, folded
from erstwhile.core.time import FOREVER
from erstwhile.facts.draft import MAX_ENTITIES, MAX_RELATIONS, MAX_TAGS, Draft, limited
from erstwhile.facts.fact import Fact

_TIERS = list(Tier)
_MAX_ENTITIES = MAX_ENTITIES + 2 * MAX_RELATIONS
"""The named entities and the entities of the relations."""


def repeated(fact: Fact, again: Draft, at: datetime) -> Fact:
    """Return the fact with more evidence, after a repetition of the same statement.

    Only a trusted repetition adds evidence to a trusted fact. Repetition never adds trust. An agent
    adds only evidence to the facts of others: no labels, no details, no other end.
    """
    if fact.trust is Trust.TRUSTED and not again.trusted:
        return fact
    of_agent = fact.origin is Origin.AGENT and fact.tier is Tier.INFERRED and not fact.pinned
    if again.origin is Origin.AGENT and not of_agent:
        again = again._replace(
            entities=(), tags=(), relations=(), metadata={}, expires_at=None, pinned=False
        )
    tier = _repeated_tier(fact, again)
    metadata = fact.metadata
    if again.metadata:
        metadata = checked_metadata({**fact.metadata, **again.metadata})
    links = tuple(dict.fromkeys((*fact.relations, *again.relations)))
    merged = replace(
        fact,
        known_from=at,
        evidence=fact.evidence + 1,
        tier=tier,
        confidence=_raised(max(fact.confidence, again.confidence), tier),
        entities=_merged_labels(fact.entities, again.entities, "entities", _MAX_ENTITIES),
        tags=_merged_labels(fact.tags, again.tags, "tags", MAX_TAGS),
        relations=tuple(limited(links, "relations", MAX_RELATIONS)),
        metadata=metadata,
        pinned=fact.pinned or again.pinned,
    )
    # An expiry in the past does not end this fact.
    renews = again.expires_at is not None and again.expires_at > max(at, fact.valid_from)
    return replace(merged, expires_at=again.expires_at) if renews else merged


def absorbed(fact: Fact, others: Sequence[Fact], at: datetime) -> Fact:
    """Return the fact with the evidence and labels of others that say the same, as their successor.

    Repetition adds neither trust nor a tier.
    """
    whole = replace(
        fact,
        known_from=at,
        evidence=fact.evidence + sum(other.evidence for other in others),
        supersedes=(*fact.supersedes, *(other.id for other in others)),
    )
    for other in others:
        links = tuple(dict.fromkeys((*whole.relations, *other.relations)))
        whole = replace(
            whole,
            confidence=max(whole.confidence, other.confidence),
            entities=_merged_labels(whole.entities, other.entities, "entities", _MAX_ENTITIES),
            tags=_merged_labels(whole.tags, other.tags, "tags", MAX_TAGS),
            relations=tuple(limited(links, "relations", MAX_RELATIONS)),
            metadata=checked_metadata({**other.metadata, **whole.metadata}),
        )
    return whole


def confirmed(fact: Fact, at: datetime) -> Fact:
    """Return the fact as confirmed: at least tier `confirmed`, and out of quarantine."""
    if fact.retired_at is not None:
        raise ConflictError(f"{fact.short_id} has ended", remedy="undo that first")
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
    """Return the fact with its ending. `ended` is when it stopped being true; now by default."""
    if fact.retired_at is not None:
        raise ConflictError(
            f"{fact.id} has already ended ({fact.ending})", remedy="see its history"
        )
    if ended is not None and ended > at:
        raise InvalidInputError("`ended` lies in the future", remedy="use expires_at")
    end = fact.valid_from if ending is Ending.WRONG else min(ended or at, fact.ends_at or FOREVER)
    return replace(
        fact,
        known_from=at,
        retired_at=at,
        ending=ending,
        valid_to=max(end, fact.valid_from),
        superseded_by=successor,
    )


def clipped(fact: Fact, successor: Fact, at: datetime, ending: Ending = Ending.SUPERSEDED) -> Fact:
    """Return the fact, ended when its successor begins, or now if that is in the future."""
    start = min(successor.valid_from, at)
    if fact.retired_at is None:
        ending = Ending.EXPIRED if (fact.ends_at or FOREVER) <= start else ending
        return retired(fact, ending, at=at, ended=start, successor=successor.id)
    return replace(fact, known_from=at, valid_to=max(fact.valid_from, start))


def revived(fact: Fact, before: Fact, at: datetime) -> Fact:
    """Return the fact without its retirement, with the end that it had `before`.

    A passed expiry is removed, because undo means that the fact did not end then.
    """
    return replace(
        fact,
        known_from=at,
        retired_at=None,
        ending=None,
        valid_to=before.valid_to,
        superseded_by=None,
        expires_at=None if ran_out(before, at) else before.expires_at,
    )


def ran_out(fact: Fact, at: datetime) -> bool:
    """Return whether the valid time of a fact is over at a moment."""
    return fact.ends_at is not None and fact.ends_at <= at


def _repeated_tier(fact: Fact, again: Draft) -> Tier:
    """Return the tier after a repetition: an independent assertion confirms an inferred fact."""
    held = fact.trust is Trust.QUARANTINED and again.origin is Origin.AGENT
    if held or not again.trusted:
        return fact.tier
    itself = again.origin is Origin.AGENT or again.source == fact.source
    independent = again.origin is Origin.PERSON or not (again.origin is fact.origin and itself)
    best = _higher(fact.tier, again.tier)
    return _higher(best, Tier.CONFIRMED) if independent else best


def _higher(one: Tier, other: Tier) -> Tier:
    return max(one, other, key=_TIERS.index)


def _raised(confidence: float, tier: Tier) -> float:
    """Return the confidence after more evidence: halfway to the maximum of the tier."""
    return min(tier.cap, confidence + (tier.cap - confidence) / 2)


def _merged_labels(
    held: tuple[str, ...], more: tuple[str, ...], name: str, limit: int
) -> tuple[str, ...]:
    known = {folded(label) for label in held}
    added = tuple(label for label in more if folded(label) not in known)
    return tuple(limited(held + added, name, limit))
