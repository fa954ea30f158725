"""The quarantine: facts that wait for approval, and the changes that an approval makes.

The text and the key of a fact never change. So an approved proposal for a key, or one that replaces
facts, gets a successor with that key; the history of both facts shows its origin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from operator import attrgetter

from erstwhile.core.errors import ConflictError, NotFoundError
from erstwhile.core.kinds import Ending, State, Trust
from erstwhile.core.results import Page, PageRequest
from erstwhile.core.text import checked_reason
from erstwhile.facts.changes import state_before
from erstwhile.facts.draft import Draft, checked_key
from erstwhile.facts.fact import Fact, to_fact
from erstwhile.facts.held import Held, Proposal, proposal_of, to_held, without_mark
from erstwhile.facts.lifecycle import confirmed, retired
from erstwhile.facts.queries import params_on
from erstwhile.facts.remember import check_no_rival, find_values, supersede
from erstwhile.facts.table import FACTS
from erstwhile.storage.record import Collection
from erstwhile.storage.table import EITHER
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_DECISIONS = frozenset(("approve", "confirm", "reject"))


def approve(unit: Unit, fact: Fact, reason: str | None, action: str = "approve") -> Fact:
    """Release a fact from quarantine, and make the change that it proposed."""
    proposal = proposal_of(fact.metadata)
    known = _named_facts(unit, fact, proposal)
    if proposal.ends:
        return _end_facts(unit, fact, known, proposal, reason, action)
    approved = replace(confirmed(fact, unit.now), metadata=without_mark(fact.metadata))
    approved = FACTS.change(unit, fact, approved, action, reason)
    in_future = fact.valid_from > unit.now  # a future fact replaces nothing yet
    if in_future or not (proposal.key or known):
        return approved
    unit.tick()
    successor = _successor(unit, approved, proposal, known)
    return supersede(unit, approved, successor, reason, known, action=action)


def confirm(unit: Unit, fact: Fact, reason: str | None) -> Fact:
    """Confirm a fact, or approve a quarantined fact that proposes a change."""
    if fact.trust is Trust.QUARANTINED and proposal_of(fact.metadata):
        return approve(unit, fact, reason, "confirm")
    return FACTS.change(unit, fact, confirmed(fact, unit.now), "confirm", reason)


def _named_facts(unit: Unit, fact: Fact, proposal: Proposal) -> list[Fact]:
    """Return the open facts of the same scope that a proposal names."""
    named: list[Fact] = []
    for id in dict.fromkeys(proposal.replaces):
        with suppress(NotFoundError):  # deleted or erased meanwhile
            named.append(FACTS.find_own(unit, id))
    return [
        each
        for each in named
        if each.retired_at is None and each.id != fact.id and each.scope == fact.scope
    ]


def _end_facts(
    unit: Unit,
    fact: Fact,
    known: list[Fact],
    proposal: Proposal,
    reason: str | None,
    action: str,
) -> Fact:
    """End the known facts, and retire the proposal."""
    if not known:
        raise ConflictError(
            f"the facts that {fact.short_id} would end have already ended",
            remedy="reject it, or leave it",
        )
    ending = Ending.WRONG if proposal.wrong else Ending.SUPERSEDED
    over = min(fact.valid_from, unit.now)
    kept = None if proposal.kept is None else _kept_fact(unit, fact, proposal.kept)
    heir = None if kept is None else kept.id
    [first, *_] = [
        FACTS.change(
            unit,
            each,
            retired(each, ending, at=unit.now, ended=over, successor=heir),
            "retire",
            reason,
        )
        for each in known
    ]
    if kept is not None:
        links = (*kept.supersedes, *(each.id for each in known))
        FACTS.change(unit, kept, replace(kept, supersedes=links), "link", reason)
    done = retired(confirmed(fact, unit.now), Ending.SUPERSEDED, at=unit.now)
    FACTS.change(unit, fact, done, action, reason)
    return first


def _kept_fact(unit: Unit, fact: Fact, id: str) -> Fact:
    """Return the fact that stays when others end; it must still be there."""
    found = [each for each in FACTS.starting_with(unit, id) if each.scope == fact.scope]
    if not found or found[0].retired_at is not None:
        raise ConflictError(
            f"the fact that {fact.short_id} would keep has ended", remedy="reject the proposal"
        )
    return found[0]


def _successor(unit: Unit, approved: Fact, proposal: Proposal, known: list[Fact]) -> Draft:
    """Return the approved fact as a draft with the proposed key, or the key of a replaced fact."""
    inherited = next((each.key for each in known if each.key), None)
    key = inherited if proposal.key is None else checked_key(proposal.key)
    value = None if key is None else proposal.value
    since = approved.valid_from
    values = [] if key is None else find_values(unit, approved.scope, key, since)
    begun = [each.valid_from for each in (*known, *values)]
    over = [each.valid_to for each in values if each.retired_at and each.valid_to]
    if any(each > since for each in (*begun, *over)):  # a replaced fact is of a later time
        since = unit.now
    return Draft.of(approved, key=key, value=value)._replace(valid_from=since)


class Quarantine(Collection):
    """Facts that no answer shows until a person approves them."""

    def list(self, *, limit: int = 20, cursor: str | None = None) -> Page[Held]:
        """Return a page of the facts in quarantine, newest first, each with the reason."""
        request = PageRequest(limit, cursor)

        def page(view: View) -> Page[Held]:
            params = {**params_on(view, {}), **request.params}
            rows = view.rows("list_facts", params, State.QUARANTINED, "all")
            return request.page([to_held(to_fact(row)) for row in rows])

        return self._access.ask(page)

    def approve(self, id: str, *, reason: str | None = None) -> Fact:
        """Approve a fact: it is confirmed and trusted, and recall finds it from now on.

        A proposal of learning is applied: the fact becomes the value of its key, and the facts
        that it replaces end. If the proposal only ends facts, return the first of them.
        """
        return self._decide(id, reason, approve)

    def reject(self, id: str, *, reason: str | None = None) -> Fact:
        """Retire a fact as wrong. Only a person can state it again, even in similar words."""
        return self._decide(id, reason, _reject)

    def undo(self, id: str, *, reason: str | None = None) -> Fact:
        """Undo an approval or a rejection: quarantine the fact again, revive what it replaced."""
        why = checked_reason(reason)
        return self._access.change(lambda unit: _undo(unit, _decided(unit, id), why))

    def _decide(
        self, id: str, reason: str | None, decide: Callable[[Unit, Fact, str | None], Fact]
    ) -> Fact:
        why = checked_reason(reason)

        def decided(unit: Unit) -> Fact:
            fact = FACTS.find_own(unit, id)
            if fact.trust is not Trust.QUARANTINED:
                raise ConflictError(
                    f"{fact.short_id} is not in quarantine",
                    remedy="list the quarantine with `quarantine.list`",
                )
            return decide(unit, fact, why)

        return self._access.change(decided)


def _reject(unit: Unit, fact: Fact, reason: str | None) -> Fact:
    wrong = retired(fact, Ending.WRONG, at=unit.now)
    return FACTS.change(unit, fact, wrong, "reject", reason)


def _undo(unit: Unit, fact: Fact, reason: str | None) -> Fact:
    """Give the facts of a decision their states before it, and retire what it added as wrong."""
    before, at = _before_decision(unit, fact)
    changed = [each for each in _partners(unit, fact, before) if each.known_from >= at]
    if any(each.known_from > fact.known_from for each in changed):
        raise ConflictError(
            f"what {fact.short_id} changed was changed again since", remedy="undo that first"
        )
    for each in sorted(changed, key=attrgetter("recorded_at"), reverse=True):
        if each.recorded_at >= at:
            wrong = retired(each, Ending.WRONG, at=unit.now)
            FACTS.change(unit, each, wrong, "retire", reason)
        else:
            _restore(unit, each, state_before(unit, each.id, at), reason)
    return _restore(unit, fact, before, reason)


def _restore(unit: Unit, fact: Fact, before: Fact, reason: str | None) -> Fact:
    check_no_rival(unit, before)
    return FACTS.change(unit, fact, before, "undo", reason)


def _decided(unit: Unit, id: str) -> Fact:
    """Return the fact with this id; for the successor of an approved proposal, the proposal."""
    fact = FACTS.find_own(unit, id)
    acts = _acts_on(unit, fact)
    if len(acts) > 1 or acts[0] not in _DECISIONS:
        return fact
    return next(
        each for each in _find_all(unit, fact.supersedes) if _acts_on(unit, each)[1:2] == acts
    )


def _before_decision(unit: Unit, fact: Fact) -> tuple[Fact, datetime]:
    """Return a fact as it waited, and the moment of the decision that changed it last."""
    acts, at = _acts_on(unit, fact), fact.known_from
    heirs = [] if fact.superseded_by is None else _find_all(unit, [fact.superseded_by])
    if acts[0] == "supersede" and any(_acts_on(unit, heir)[-1] in _DECISIONS for heir in heirs):
        acts, at = acts[1:], state_before(unit, fact.id, at).known_from
    if acts[0] in _DECISIONS:
        before = state_before(unit, fact.id, at)
        if before.trust is Trust.QUARANTINED:
            return before, at
    raise ConflictError(
        f"the last change of {fact.short_id} is not a decision about it", remedy="see its history"
    )


def _acts_on(unit: Unit, fact: Fact) -> list[str]:
    return [action for action, _ in unit.acts_on(fact.id, fact.scope)]


def _partners(unit: Unit, fact: Fact, before: Fact) -> list[Fact]:
    """Return the facts that an approval may have changed: those it names, and its successor."""
    proposal = proposal_of(before.metadata)
    ids = [*proposal.replaces, *filter(None, (proposal.kept, fact.superseded_by))]
    linked = _find_all(unit, ids)
    linked += _find_all(unit, [id for each in linked for id in each.supersedes])
    return list({each.id: each for each in linked if each.id != fact.id}.values())


def _find_all(unit: Unit, ids: Iterable[str]) -> list[Fact]:
    return [fact for id in ids for fact in FACTS.starting_with(unit, id, EITHER)]
