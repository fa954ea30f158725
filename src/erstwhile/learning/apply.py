"""Apply the candidates of a turn to memory, inside one transaction.

The known facts are read again and compared here, so that each decision is about the current facts.
No model is called. A change that memory refuses has no effect and is recorded: a fact is never
retired for a successor that was not stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from erstwhile.core.errors import InvalidInputError, NotFoundError, RefusedError
from erstwhile.core.kinds import Ending, Trust
from erstwhile.core.scope import Scope
from erstwhile.core.text import fingerprint
from erstwhile.facts import remember
from erstwhile.facts.agent_rules import find_rejected, is_protected
from erstwhile.facts.conflict import note_conflict
from erstwhile.facts.draft import Draft, checked_key, draft
from erstwhile.facts.fact import Fact, Source
from erstwhile.facts.held import Proposal, held_because, why_outside
from erstwhile.facts.lifecycle import repeated, retired
from erstwhile.facts.table import FACTS, was_said_after
from erstwhile.learning.attempts import AttemptChange
from erstwhile.learning.candidate import Candidate, Change, ChangeType, FactStatus
from erstwhile.learning.reconcile import (
    KnownFacts,
    own_scopes,
    reconcile,
    storing_scope,
    user_scope,
)
from erstwhile.learning.turn import Turn
from erstwhile.storage.unit import Unit

OVER = "It is over: "
"""Precedes a statement in quarantine that something ended."""
UNVERIFIED = {"unverified": True}
"""The metadata of a fact that no verification confirmed."""


def apply_candidates(
    unit: Unit, turn: Turn, found: Sequence[Candidate], near: Iterable[str]
) -> list[AttemptChange]:
    """Apply the candidates and return the changes. `near` are ids of facts to compare with."""
    unit.also_lock(user_scope(turn.scope), turn.learn_to or turn.scope)
    free = [each for each in found if each.held is None]
    held = [Change(ChangeType.HOLD, each, each.held.reason) for each in found if each.held]
    changes = [*reconcile(free, _known(unit, turn, near, free)), *held]
    return [_apply_change(unit, turn, change) for change in changes]


def _known(
    unit: Unit, turn: Turn, near: Iterable[str], candidates: Sequence[Candidate]
) -> KnownFacts:
    """Return the near facts as they are now, the values of keys, and verbatim repetitions."""
    found = [fact for id in near if (fact := _present(unit, id))]
    for scope in own_scopes(turn.scope):
        for each in candidates:
            found += _same_facts(unit, scope, each)
    facts = list({fact.id: fact for fact in found}.values())
    # Only facts that may end are looked up.
    touched = [
        fact for fact in facts if any(not each.by_model or each.claims(fact) for each in candidates)
    ]
    return KnownFacts(
        facts=facts,
        scope=turn.scope,
        now=unit.now,
        said_later={each.id for each in facts if was_said_after(unit, each, turn.said_at)},
        protected={fact.id for fact in touched if is_protected(unit, fact)},
    )


def _same_facts(unit: Unit, scope: Scope, candidate: Candidate) -> Iterator[Fact]:
    """Yield the fact of a scope with the text of a candidate, and the values of its key."""
    key = None if candidate.key is None else checked_key(candidate.key)
    same = fingerprint(candidate.text, key)
    if (twin := remember.find_duplicate(unit, scope, candidate.kind, same)) is not None:
        yield twin
    if key is not None:
        yield from remember.find_values(unit, scope, key, unit.now)


def _present(unit: Unit, id: str) -> Fact | None:
    try:
        return FACTS.find(unit, id)
    except NotFoundError:  # deleted or erased meanwhile
        return None


def _apply_change(unit: Unit, turn: Turn, change: Change) -> AttemptChange:
    """Make one change, with a timestamp of its own."""
    unit.tick()
    candidate = change.candidate
    try:
        change = _updated(unit, turn, change)
        scope = _scope(unit, turn, change)
        act, because = change.act, change.because
        fact = _CandidateChange(unit, turn, change, scope).make()
    except (InvalidInputError, RefusedError) as error:
        act, fact, because = ChangeType.REFUSE, None, error.message
    return AttemptChange(
        act=act,
        fact=None if fact is None else fact.id,
        because=because,
        rule=candidate.rules,
        text=candidate.masked,
        quote=candidate.quote,
        kind=None if candidate.ends else candidate.kind,
    )


def _updated(unit: Unit, turn: Turn, change: Change) -> Change:
    """Return the change without facts that an earlier candidate of the turn has ended.

    A candidate that begins later replaces only what begins later, too: until then both are true.
    """
    facts = tuple(fact for each in change.facts if (fact := _open(unit, each.id)))
    if change.facts and not facts:
        return replace(change, act=ChangeType.REFUSE, facts=(), because="it has ended already")
    ahead = _since(unit, turn, change.candidate) > unit.now
    begun = any(fact.valid_from <= unit.now for fact in facts)
    if change.act is ChangeType.SUPERSEDE and ahead and begun:
        return replace(change, act=ChangeType.CONFLICT, facts=facts, because="it begins later")
    return replace(change, facts=facts)


def _open(unit: Unit, id: str) -> Fact | None:
    fact = _present(unit, id)
    return fact if fact is not None and fact.retired_at is None else None


def _since(unit: Unit, turn: Turn, candidate: Candidate) -> datetime:
    """Return the time from which a candidate is valid; by default the time of the message."""
    return candidate.valid_from or min(turn.said_at, unit.now)


def _scope(unit: Unit, turn: Turn, change: Change) -> Scope:
    """Return the scope of a new fact: that of the fact it replaces or ends, else by its subject."""
    named = [*change.facts, *(_present(unit, id) for id in change.candidate.replaces)]
    own = own_scopes(turn.scope)
    scopes = [fact.scope for fact in named if fact is not None and fact.scope in own]
    if scopes and change.act in (ChangeType.SUPERSEDE, ChangeType.END, ChangeType.HOLD):
        return scopes[0]
    return turn.learn_to or storing_scope(change.candidate, turn.scope)


@dataclass(frozen=True, slots=True)
class _CandidateChange:
    """Makes the change for one candidate."""

    unit: Unit
    turn: Turn
    change: Change
    scope: Scope
    """The scope of the new fact."""

    def make(self) -> Fact | None:
        """Make the change and return the fact that it is about."""
        match self.change.act:
            case ChangeType.REFUSE:
                return None
            case ChangeType.REPEAT:
                return self._repeat()
            case ChangeType.END:
                return self._end()
            case ChangeType.SUPERSEDE:
                return self._supersede()
            case ChangeType.CONFLICT:
                return self._contradict()
            case ChangeType.ADD | ChangeType.HOLD:
                return self._add()

    @property
    def candidate(self) -> Candidate:
        return self.change.candidate

    def _add(self) -> Fact:
        said = self._draft()
        if rejected := find_rejected(self.unit, self.scope, said):
            raise remember.was_rejected(rejected)
        if remember.has_ended_since(self.unit, self.scope, said, self.turn.said_at):
            raise RefusedError("the statement was made before the fact ended")
        return remember.remember(self.unit, said, self.change.because, self.scope)

    def _repeat(self) -> Fact:
        """Add evidence, unless the message was counted as evidence already."""
        [fact, *_] = self.change.facts
        messages = () if fact.source is None else fact.source.messages
        if set(messages) & set(self.candidate.messages):
            return fact
        again = repeated(fact, self._draft(), self.unit.now)
        if again is fact:
            return fact
        return FACTS.change(self.unit, fact, again, action="repeat", reason=self.change.because)

    def _end(self) -> Fact:
        for fact in self.change.facts:
            self._retire(fact, ended=min(self._since, self.unit.now))
        return self.change.facts[0]

    def _retire(self, fact: Fact, *, action: str = "retire", **how: Any) -> None:
        over = retired(fact, self.change.ending, at=self.unit.now, **how)
        FACTS.change(self.unit, fact, over, action=action, reason=self.change.because)

    def _supersede(self) -> Fact:
        if self._since > self.unit.now:
            return self._replace_upcoming()
        old, *others = [each for each in self.change.facts if each.scope == self.scope]
        for each in self.change.facts:
            if each.scope != self.scope:  # a copy in the other scope of the user
                self._retire(each)
        said, because = self._draft(), self.change.because
        fact = remember.supersede(self.unit, old, said, because, others, ending=self.change.ending)
        note_conflict(self.unit, fact, self.change.disputed, "a person decides")
        return fact

    def _replace_upcoming(self) -> Fact:
        """Replace facts that are not true yet: they never will be."""
        fact = remember.remember(self.unit, self._draft(), self.change.because, self.scope)
        for old in self.change.facts:
            self._retire(old, action="supersede", successor=fact.id)
        return fact

    def _contradict(self) -> Fact:
        fact = remember.remember(self.unit, self._draft(), self.change.because, self.scope)
        note_conflict(self.unit, fact, self.change.facts, self.change.because)
        return fact

    def _draft(self) -> Draft:
        candidate = self.candidate
        if candidate.ends:
            return self._held_ending()
        held, key = self._why_held(), self._key()
        unverified = UNVERIFIED if candidate.by_model and candidate.support is None else None
        since = self._since if key is None else self._after_ended(key)
        return draft(
            candidate.text,
            kind=candidate.kind,
            key=key,
            value=None if key is None else candidate.value,
            entities=candidate.entities,
            relations=candidate.relations,
            metadata=held_because(*held, self._proposal()) if held else unverified,
            confidence=candidate.confidence,
            valid_from=since,
            expires_at=candidate.expires_at,
            origin=candidate.origin,
            trust=None if held is None else Trust.QUARANTINED,
            source=self._source,
            now=self.unit.now,
        )

    def _held_ending(self) -> Draft:
        """Return the statement in quarantine that facts ended: a person may approve it."""
        candidate, proposal = self.candidate, self._proposal()
        if not proposal.replaces:
            raise RefusedError("it names no fact that ends")
        rule, reason = self._why_held() or ("", "")
        return draft(
            f"{OVER}{candidate.text}",
            metadata=held_because(rule, reason, proposal),
            valid_from=min(self._since, self.unit.now),
            origin=candidate.origin,
            trust=Trust.QUARANTINED,
            source=self._source,
            now=self.unit.now,
        )

    def _why_held(self) -> tuple[str, str] | None:
        """Return the rule and the reason for which it is quarantined; None if it is not."""
        if self.candidate.held is not None:
            return self.candidate.held.rule, self.candidate.held.reason
        if self.change.act is ChangeType.HOLD:
            return "reconcile/ending", self.change.because
        origin = self.candidate.origin
        return why_outside(origin) if origin.trust is Trust.QUARANTINED else None

    def _proposal(self) -> Proposal:
        """Return what an approval changes: the key, and the open facts that are named."""
        candidate = self.candidate
        ids = candidate.replaces or tuple(fact.id for fact in self.change.facts)
        named = [fact for id in ids if (fact := _open(self.unit, id)) and fact.scope == self.scope]
        wrong = [candidate.statuses.get(fact.id) is FactStatus.WRONG for fact in named]
        return Proposal(
            key=None if candidate.ends else candidate.key,
            value=None if candidate.ends else candidate.value,
            replaces=tuple(fact.id for fact in named),
            ends=candidate.ends,
            wrong=self.change.ending is Ending.WRONG or (bool(wrong) and all(wrong)),
        )

    @property
    def _source(self) -> Source:
        return Source(conversation=self.turn.conversation, messages=self.candidate.messages)

    def _key(self) -> str | None:
        """Return the key; None if the new value must not replace the present value.

        A held, a disputed and a future value replace nothing.
        """
        candidate, change = self.candidate, self.change
        quarantined = candidate.origin.trust is Trust.QUARANTINED or candidate.held is not None
        if quarantined or change.act is ChangeType.CONFLICT or self._since > self.unit.now:
            return None
        if change.act is ChangeType.SUPERSEDE:
            inherited = [fact.key for fact in change.facts if fact.key]
            return candidate.key or next(iter(inherited), None)
        # An added fact replaces no value of the key at that time or later.
        key = candidate.key
        taken = key is not None and self._values(key, self._after_ended(key))
        return None if taken else key

    def _after_ended(self, key: str) -> datetime:
        """Return when the value may begin: "I moved last month" comes after a home that ended."""
        over = [fact.valid_to for fact in self._values(key, self._since) if fact.retired_at]
        return max([self._since, *(end for end in over if end and end <= self.unit.now)])

    def _values(self, key: str, since: datetime) -> list[Fact]:
        return remember.find_values(self.unit, self.scope, checked_key(key), since)

    @property
    def _since(self) -> datetime:
        return _since(self.unit, self.turn, self.candidate)
