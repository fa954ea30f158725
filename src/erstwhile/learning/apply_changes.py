"""Apply the candidates of a turn to memory, inside one transaction.

The known facts are read again and compared here, so that each decision is about the current facts.
No model is called. A change that memory refuses has no effect and is recorded: a fact is never
retired for a successor that was not stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from erstwhile.core.errors import InvalidInputError, NotFoundError, RefusedError
from erstwhile.core.kinds import Trust
from erstwhile.facts import conflict, remembering
from erstwhile.facts.draft import Draft, checked_key, draft
from erstwhile.facts.fact import Fact, Source
from erstwhile.facts.held import held_because, why_outside
from erstwhile.facts.lifecycle import repeated, retired
from erstwhile.facts.proposal import Proposal
from erstwhile.facts.rejected import find_rejected
from erstwhile.facts.table import FACTS, was_said_after
from erstwhile.learning.attempt import AttemptChange
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.change import Act, Change
from erstwhile.learning.reconcile import reconcile
from erstwhile.learning.reconcile.slips import takes_back
from erstwhile.learning.turn import Turn
from erstwhile.learning.verdict import Verdict
from erstwhile.storage.unit import Unit

OVER = "It is over: "
"""Stands before a statement in quarantine that something ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedCandidate:
    """A candidate that the guard accepted, or held until a person decides."""

    candidate: Candidate
    held: Verdict | None = None
    rule: str = ""
    """The rules of the guard that matched, if any."""
    told: tuple[str, str] = ("", "")
    """The text and the quotation as the attempt keeps them: masked."""


def apply_candidates(
    unit: Unit, turn: Turn, found: Sequence[GuardedCandidate], near: Iterable[str]
) -> list[AttemptChange]:
    """Apply the candidates and return the changes. `near` are ids of facts to compare with."""
    free = [each for each in found if each.held is None]
    held = [each for each in found if each.held is not None]
    changes = [
        *_reconciled(unit, turn, [each.candidate for each in free], near),
        *(
            Change(act=Act.HOLD, candidate=each.candidate, because=each.held.reason)
            for each in held
            if each.held
        ),
    ]
    return [
        _made(unit, turn, passed, change)
        for passed, change in zip([*free, *held], changes, strict=True)
    ]


def _reconciled(
    unit: Unit, turn: Turn, candidates: Sequence[Candidate], near: Iterable[str]
) -> list[Change]:
    """Return the change for each candidate, given the facts as they are now."""
    known = _known(unit, turn, near, candidates)
    later = {each.id for each in known if was_said_after(unit, each, turn.said_at)}
    return reconcile(candidates, known, scope=turn.scope, now=unit.now, said_later=later)


def _known(
    unit: Unit, turn: Turn, near: Iterable[str], candidates: Sequence[Candidate]
) -> list[Fact]:
    """Return the near facts as they are now, and the values of the candidates' keys."""
    keys = dict.fromkeys(each.key for each in candidates if each.key is not None)
    values = [
        fact
        for key in keys
        for fact in remembering.find_values(unit, turn.scope, checked_key(key), unit.now)
    ]
    found = [fact for id in near if (fact := _present(unit, id))]
    return list({fact.id: fact for fact in (*found, *values)}.values())


def _present(unit: Unit, id: str) -> Fact | None:
    try:
        return FACTS.find(unit, id)
    except NotFoundError:  # deleted or erased meanwhile
        return None


def _made(unit: Unit, turn: Turn, passed: GuardedCandidate, change: Change) -> AttemptChange:
    """Make one change, with a timestamp of its own."""
    unit.tick()
    try:
        act, fact, because = _CandidateChange(unit, turn, passed).make(change)
    except (InvalidInputError, RefusedError) as error:
        act, fact, because = Act.REFUSE, None, error.message
    id = None if fact is None else fact.id
    text, quote = passed.told
    return AttemptChange(
        act=act, fact=id, because=because, rule=passed.rule, text=text, quote=quote
    )


@dataclass(frozen=True, slots=True)
class _CandidateChange:
    """Makes the change for one candidate."""

    unit: Unit
    turn: Turn
    passed: GuardedCandidate

    def make(self, change: Change) -> tuple[Act, Fact | None, str]:
        """Make the change and return the act, the fact and the reason."""
        change = self._updated(change)
        match change.act:
            case Act.REFUSE:
                fact = None
            case Act.REPEAT:
                fact = self._repeat(change)
            case Act.END:
                fact = self._end(change)
            case Act.SUPERSEDE:
                fact = self._supersede(change)
            case Act.CONFLICT:
                fact = self._contradict(change)
            case Act.ADD | Act.HOLD:
                fact = self._add(change)
        return change.act, fact, change.because

    def _updated(self, change: Change) -> Change:
        """Return the change without facts that an earlier candidate of the turn has ended.

        A candidate that is not true yet replaces nothing now.
        """
        facts = tuple(fact for each in change.facts if (fact := self._open(each.id)))
        if change.facts and not facts:
            return replace(change, act=Act.REFUSE, facts=(), because="it has ended already")
        if change.act is Act.SUPERSEDE and self._since > self.unit.now:
            return replace(change, act=Act.ADD, facts=(), because="it is not true yet")
        return replace(change, facts=facts)

    def _open(self, id: str) -> Fact | None:
        fact = _present(self.unit, id)
        return fact if fact is not None and fact.retired_at is None else None

    def _add(self, change: Change) -> Fact:
        draft = self._draft(change)
        if rejected := find_rejected(self.unit, self.turn.scope, draft):
            raise remembering.was_rejected(rejected)
        if remembering.has_ended_since(self.unit, self.turn.scope, draft, self.turn.said_at):
            raise RefusedError("the statement was made before the fact ended")
        return remembering.remember(self.unit, draft, change.because)

    def _repeat(self, change: Change) -> Fact:
        """Add evidence, unless the message was counted as evidence already."""
        [fact, *_] = change.facts
        messages = () if fact.source is None else fact.source.messages
        if set(messages) & set(self.passed.candidate.messages):
            return fact
        again = repeated(fact, self._draft(change), self.unit.now)
        if again is fact:
            return fact
        return FACTS.change(self.unit, fact, again, action="repeat", reason=change.because)

    def _end(self, change: Change) -> Fact:
        for fact in change.facts:
            over = min(self._since, self.unit.now)
            ended = retired(fact, change.ending, at=self.unit.now, ended=over)
            FACTS.change(self.unit, fact, ended, action="retire", reason=change.because)
        return change.facts[0]

    def _supersede(self, change: Change) -> Fact:
        old, *others = change.facts
        return remembering.supersede(
            self.unit,
            old,
            self._draft(change),
            change.because,
            others,
            ending=change.ending,
        )

    def _contradict(self, change: Change) -> Fact:
        fact = remembering.remember(self.unit, self._draft(change), change.because)
        conflict.note_conflict(self.unit, fact, change.facts, change.because)
        return fact

    def _draft(self, change: Change) -> Draft:
        candidate = self.passed.candidate
        if candidate.ends:
            return self._held_ending(change)
        held, key = self._why_held(change), self._key(change)
        since = self._since if key is None else self._after_ended(key)
        return draft(
            candidate.text,
            kind=candidate.kind,
            key=key,
            value=None if key is None else candidate.value,
            entities=candidate.entities,
            relations=candidate.relations,
            metadata=None if held is None else held_because(*held, self._proposal()),
            confidence=candidate.confidence,
            valid_from=since,
            expires_at=candidate.expires_at,
            origin=candidate.origin,
            trust=None if held is None else Trust.QUARANTINED,
            source=self._source,
            now=self.unit.now,
        )

    def _held_ending(self, change: Change) -> Draft:
        """Return the statement in quarantine that facts ended: a person may approve it."""
        candidate, proposal = self.passed.candidate, self._proposal()
        if not proposal.replaces:
            raise RefusedError("it names no fact that ends")
        rule, reason = self._why_held(change) or ("", "")
        return draft(
            f"{OVER}{candidate.text}",
            metadata=held_because(rule, reason, proposal),
            valid_from=min(self._since, self.unit.now),
            origin=candidate.origin,
            trust=Trust.QUARANTINED,
            source=self._source,
            now=self.unit.now,
        )

    def _why_held(self, change: Change) -> tuple[str, str] | None:
        """Return the rule and the reason for which it is quarantined; None if it is not."""
        if self.passed.held is not None:
            return self.passed.held.rule, self.passed.held.reason
        if change.act is Act.HOLD:
            return "reconcile/ending", change.because
        origin = self.passed.candidate.origin
        return why_outside(origin) if origin.trust is Trust.QUARANTINED else None

    def _proposal(self) -> Proposal:
        """Return what an approval changes: the key, and the open facts that the model named."""
        candidate = self.passed.candidate
        named = [
            fact
            for id in candidate.replaces
            if (fact := self._open(id)) and fact.scope == self.turn.scope
        ]
        return Proposal(
            key=None if candidate.ends else candidate.key,
            value=None if candidate.ends else candidate.value,
            replaces=tuple(fact.id for fact in named),
            ends=candidate.ends,
            wrong=candidate.ends and all(takes_back(candidate, fact) for fact in named),
        )

    @property
    def _source(self) -> Source:
        return Source(conversation=self.turn.conversation, messages=self.passed.candidate.messages)

    def _key(self, change: Change) -> str | None:
        """Return the key; None if the new value must not replace the present value.

        A held, a disputed and a future value replace nothing.
        """
        candidate = self.passed.candidate
        quarantined = candidate.origin.trust is Trust.QUARANTINED or self.passed.held is not None
        if quarantined or change.act is Act.CONFLICT or self._since > self.unit.now:
            return None
        if change.act is Act.SUPERSEDE:
            inherited = [fact.key for fact in change.facts if fact.key]
            return candidate.key or next(iter(inherited), None)
        return None if self._is_taken(candidate.key) else candidate.key

    def _is_taken(self, key: str | None) -> bool:
        """Return whether the key has a value at that time or later; an added fact replaces none."""
        return key is not None and bool(self._values(key, self._after_ended(key)))

    def _after_ended(self, key: str) -> datetime:
        """Return when the value may begin: "I moved last month" comes after a home that ended."""
        over = [fact.valid_to for fact in self._values(key, self._since) if fact.retired_at]
        return max([self._since, *(end for end in over if end and end <= self.unit.now)])

    def _values(self, key: str, since: datetime) -> list[Fact]:
        return remembering.find_values(self.unit, self.turn.scope, checked_key(key), since)

    @property
    def _since(self) -> datetime:
        """The time from which the candidate is valid; by default the time of the message."""
        return self.passed.candidate.valid_from or min(self.turn.said_at, self.unit.now)
