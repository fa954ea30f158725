"""Approve what is in quarantine: do what was proposed, in one transaction.

The text and the key of a fact never change. So a proposal that becomes the value of a key, or
replaces facts, gets a successor with its key; the history of both shows where it came from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from erstwhile.core.errors import ConflictError, NotFoundError
from erstwhile.core.kinds import Ending, Trust
from erstwhile.core.text import fingerprint
from erstwhile.facts import changes, remembering
from erstwhile.facts.draft import Draft, checked_key
from erstwhile.facts.fact import Fact
from erstwhile.facts.held import let_in, proposal_of
from erstwhile.facts.lifecycle import retired
from erstwhile.facts.proposal import Proposal
from erstwhile.facts.table import FACTS
from erstwhile.storage.unit import Unit


def approve(unit: Unit, fact: Fact, reason: str | None, action: str = "approve") -> Fact:
    """Take a fact out of quarantine, and make the change that it proposed."""
    proposal = proposal_of(fact.metadata)
    known = list(_open(unit, fact, proposal))
    if proposal.ends:
        return _end(unit, fact, known, proposal, reason, action)
    approved = replace(changes.confirm(unit, fact), metadata=let_in(fact.metadata))
    approved = FACTS.change(unit, fact, approved, action, reason)
    ahead = fact.valid_from > unit.now  # what is not true yet replaces nothing
    if ahead or not (proposal.key or known):
        return approved
    unit.tick()
    successor = _successor(unit, approved, proposal, known)
    return remembering.supersede(unit, approved, successor, reason, known, action=action)


def confirm(unit: Unit, fact: Fact, reason: str | None) -> Fact:
    """Confirm a fact; one in quarantine that proposes a change is approved by it."""
    if fact.trust is Trust.QUARANTINED and proposal_of(fact.metadata):
        return approve(unit, fact, reason, "confirm")
    return FACTS.change(unit, fact, changes.confirm(unit, fact), "confirm", reason)


def _open(unit: Unit, fact: Fact, proposal: Proposal) -> Iterator[Fact]:
    """Yield the facts of the same scope that the proposal names and that have not ended yet."""
    for id in dict.fromkeys(proposal.replaces):
        try:
            named = FACTS.find_own(unit, id)
        except NotFoundError:  # deleted or erased meanwhile
            continue
        if named.retired_at is None and named.id != fact.id and named.scope == fact.scope:
            yield named


def _end(
    unit: Unit,
    fact: Fact,
    known: list[Fact],
    proposal: Proposal,
    reason: str | None,
    action: str,
) -> Fact:
    """End the known facts; the held statement that they ended is done with."""
    if not known:
        raise ConflictError(
            f"what {fact.short_id} would end has ended already", remedy="reject it, or leave it"
        )
    ending = Ending.WRONG if proposal.wrong else Ending.SUPERSEDED
    over = min(fact.valid_from, unit.now)
    [first, *_] = [
        FACTS.change(unit, each, retired(each, ending, at=unit.now, ended=over), "retire", reason)
        for each in known
    ]
    done = retired(changes.confirm(unit, fact), Ending.SUPERSEDED, at=unit.now)
    FACTS.change(unit, fact, done, action, reason)
    return first


def _successor(unit: Unit, approved: Fact, proposal: Proposal, known: list[Fact]) -> Draft:
    """Return the approved fact as a draft with the proposed key, or that of what it replaces."""
    inherited = next((each.key for each in known if each.key), None)
    key = inherited if proposal.key is None else checked_key(proposal.key)
    return Draft(
        text=approved.text,
        fingerprint=fingerprint(approved.text, key),
        kind=approved.kind,
        key=key,
        value=None if key is None else proposal.value,
        entities=approved.entities,
        relations=approved.relations,
        tags=approved.tags,
        metadata=approved.metadata,
        confidence=approved.confidence,
        tier=approved.tier,
        origin=approved.origin,
        trust=approved.trust,
        source=approved.source,
        valid_from=_since(unit, approved, key, known),
        expires_at=approved.expires_at,
        pinned=approved.pinned,
    )


def _since(unit: Unit, approved: Fact, key: str | None, known: list[Fact]) -> datetime:
    """Return when it begins: now, if something that it replaces began or ended after its turn."""
    since = approved.valid_from
    values = [] if key is None else remembering.find_values(unit, approved.scope, key, since)
    begun = [each.valid_from for each in (*known, *values)]
    over = [each.valid_to for each in values if each.retired_at and each.valid_to]
    return unit.now if any(each > since for each in (*begun, *over)) else since
