"""Reconciliation: turn the candidates of a turn into changes, given the facts as they are now.

| the candidate | the change |
|---|---|
| repeats the text of a fact | REPEAT |
| replaces facts, and verification says they ended or were never true | SUPERSEDE |
| ends facts, and verification says they ended or were never true | END |
| would end or replace a fact that goes on | ADD, or REFUSE for an ending |
| would end or replace a fact that a person pinned or confirmed | CONFLICT, or HOLD for an ending |
| would do so to a fact that a person stated, not in own plain speech | CONFLICT, or HOLD |
| would end or replace a fact without an answer of verification | CONFLICT, or HOLD for an ending |
| of a pattern: says itself that it changes or corrects a value | SUPERSEDE |
| of a pattern: another value of a key, without a word of change | CONFLICT |
| is anything else | ADD |

A fact ends as superseded; only a correction ends it as wrong. Everything here is pure.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from erstwhile.core.kinds import Ending, Kind, Origin, Tier, Trust
from erstwhile.core.scope import Scope
from erstwhile.core.text import folded
from erstwhile.core.time import FOREVER
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import About, Candidate, Change, ChangeType, FactStatus

RETIRING = (ChangeType.SUPERSEDE, ChangeType.END)
_OF_THE_USER = frozenset({Kind.PROFILE, Kind.PREFERENCE, Kind.RELATION, Kind.INSTRUCTION})
_OF_THE_PROJECT = frozenset({Kind.PROJECT, Kind.ENVIRONMENT, Kind.DECISION})
_ENDED = (FactStatus.ENDED, FactStatus.WRONG)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFacts:
    """The facts that a turn may be about, as they are now."""

    facts: Sequence[Fact]
    scope: Scope
    """The scope of the turn."""
    now: datetime
    said_later: Collection[str] = ()
    """The ids of facts from messages after this turn: the turn does not retire them."""
    protected: Collection[str] = ()
    """The ids of facts that a person pinned or confirmed."""

    def is_own(self, fact: Fact) -> bool:
        """Return whether learning in this turn may change a fact: the user's, or the turn's."""
        return fact.scope in own_scopes(self.scope)


def reconcile(candidates: Sequence[Candidate], known: KnownFacts) -> list[Change]:
    """Return one change per candidate, in order. Each sees the changes of those before it."""
    open_facts = [
        fact
        for fact in known.facts
        if fact.deleted_at is None and fact.retired_at is None
        if (fact.ends_at or FOREVER) > known.now
    ]
    changes: list[Change] = []
    for candidate in candidates:
        if any(_is_same(candidate, each) for each in changes):
            changes.append(Change(ChangeType.REFUSE, candidate, "repeated in this turn"))
            continue
        gone = {fact.id for each in changes if each.act in RETIRING for fact in each.facts}
        trust = candidate.origin.trust
        peers = [fact for fact in open_facts if fact.id not in gone and fact.trust is trust]
        changes.append(_decided(candidate, replace(known, facts=peers)))
    return changes


def storing_scope(candidate: Candidate, turn: Scope) -> Scope:
    """Return the scope of a new fact: what is so of the person is known in all projects."""
    if candidate.about is not None:
        is_personal = candidate.about is About.USER
    elif candidate.kind in _OF_THE_USER or candidate.key is not None:
        is_personal = True
    else:
        is_personal = candidate.kind not in _OF_THE_PROJECT and not candidate.by_model
    return user_scope(turn) if is_personal else turn


def user_scope(scope: Scope) -> Scope:
    """Return the scope of the user alone; without a user, the scope itself."""
    return scope if scope.user is None else Scope(user=scope.user)


def own_scopes(turn: Scope) -> tuple[Scope, ...]:
    """Return the scopes whose facts learning may change: that of the turn, and the user's."""
    return tuple(dict.fromkeys((turn, user_scope(turn))))


def _decided(candidate: Candidate, known: KnownFacts) -> Change:
    if candidate.ends:
        return _ending(candidate, known)
    if (twin := _twin(candidate, known)) is not None:
        return Change(ChangeType.REPEAT, candidate, "said again", (twin,))
    claimed = [fact for fact in known.facts if candidate.claims(fact)]
    if any(fact.id in known.said_later for fact in claimed):
        return Change(ChangeType.REFUSE, candidate, "the fact is from a later message")
    if candidate.by_model:
        return _by_verification(candidate, claimed, known)
    return _by_pattern(candidate, known)


def _twin(candidate: Candidate, known: KnownFacts) -> Fact | None:
    """Return the fact with the same content, if the candidate replaces no other open fact."""
    twins = [fact for fact in known.facts if known.is_own(fact) and _says_same(candidate, fact)]
    others = {fact.id for fact in known.facts} - {fact.id for fact in twins}
    return twins[0] if twins and others.isdisjoint(candidate.replaces) else None


def _says_same(candidate: Candidate, fact: Fact) -> bool:
    """Return whether a fact has the same text, or the same value of the same key."""
    if folded(fact.text) == folded(candidate.text):
        return True
    keyed = candidate.key is not None and candidate.key == fact.key
    return keyed and bool(fact.value) and folded(fact.value or "") == folded(candidate.value or "")


def _by_verification(candidate: Candidate, claimed: Sequence[Fact], known: KnownFacts) -> Change:
    """Decide about the proposal of a model by the answers about the facts that it claims."""
    over = [fact for fact in claimed if candidate.statuses.get(fact.id) in _ENDED]
    unsure = [fact for fact in claimed if fact.id not in candidate.statuses]
    free = [fact for fact in over if _objection(candidate, fact, known) is None]
    if free:
        blocked = tuple(fact for fact in (*over, *unsure) if fact not in free)
        change = _retiring(ChangeType.SUPERSEDE, _without_key(candidate, blocked), free, known)
        return replace(change, disputed=blocked)
    if over or unsure:
        first = (over or unsure)[0]
        because = _objection(candidate, first, known) or "not verified"
        return _conflict(candidate, [*over, *unsure], because)
    if claimed:  # all of them go on beside it
        candidate = _without_key(candidate, claimed)
        return Change(ChangeType.ADD, candidate, "the known fact goes on")
    return Change(ChangeType.ADD, candidate, "new")


def _by_pattern(candidate: Candidate, known: KnownFacts) -> Change:
    """Decide about the finding of a pattern by what its sentence says."""
    present = [each for each in known.facts if each.valid_from <= known.now and known.is_own(each)]
    rivals = [fact for fact in present if _is_rival(candidate, fact)]
    if not rivals:
        return Change(ChangeType.ADD, candidate, "new")
    if not (candidate.changes or candidate.corrects or candidate.instead_of):
        return _conflict(candidate, rivals, "another value, and no word of a change")
    free = [fact for fact in rivals if _objection(candidate, fact, known) is None]
    if free:
        return _retiring(ChangeType.SUPERSEDE, candidate, free, known)
    return _conflict(candidate, rivals, _objection(candidate, rivals[0], known) or "")


def _ending(candidate: Candidate, known: KnownFacts) -> Change:
    named = [fact for fact in known.facts if _is_ended_by(candidate, fact)]
    if candidate.by_model:
        unsure = [fact for fact in named if fact.id not in candidate.statuses]
        named = [fact for fact in named if candidate.statuses.get(fact.id) in _ENDED]
        if unsure and not named:
            return Change(ChangeType.HOLD, candidate, "not verified", tuple(unsure))
        if not named:
            return Change(ChangeType.REFUSE, candidate, "the user's words do not end it")
    if len(named) != 1:
        return Change(ChangeType.REFUSE, candidate, "it names no fact that ends, or several")
    if (because := _objection(candidate, named[0], known)) is not None:
        return Change(ChangeType.HOLD, candidate, because, tuple(named))
    return _retiring(ChangeType.END, candidate, named, known)


def _retiring(
    act: ChangeType, candidate: Candidate, facts: Sequence[Fact], known: KnownFacts
) -> Change:
    if not {fact.id for fact in facts}.isdisjoint(known.said_later):
        return Change(ChangeType.REFUSE, candidate, "the fact is from a later message")
    statuses = [candidate.statuses.get(fact.id) for fact in facts]
    wrong = candidate.corrects or all(each is FactStatus.WRONG for each in statuses)
    ending = Ending.WRONG if wrong else Ending.SUPERSEDED
    because = "the user corrects it" if wrong else "the user says that it changed"
    return Change(act, candidate, because, tuple(facts), ending=ending)


def _objection(candidate: Candidate, fact: Fact, known: KnownFacts) -> str | None:
    """Return why a candidate may not retire a fact; None if it may."""
    if not known.is_own(fact):
        return f"the fact belongs to another scope ({fact.scope})"
    if fact.pinned or fact.id in known.protected:
        return "a person pinned or confirmed the fact"
    if candidate.origin is Origin.AGENT or candidate.origin.trust is Trust.QUARANTINED:
        return "only the user's own words retire a fact"
    if candidate.unnamed_change:
        return "the user's own words do not name the change"
    if fact.tier is Tier.STATED and not candidate.in_own_speech:
        return "a person stated the fact, and the words may be somebody else's"
    return None


def _is_rival(candidate: Candidate, fact: Fact) -> bool:
    """Return whether a pattern found another value of the same key, or of the same sentence."""
    if candidate.key is not None and candidate.key == fact.key:
        return True
    old = [candidate.text.replace(candidate.slot, each) for each in candidate.instead_of]
    return bool(candidate.slot) and any(_begins_with(fact.text, each) for each in old)


def _is_ended_by(candidate: Candidate, fact: Fact) -> bool:
    if candidate.by_model:
        return fact.id in candidate.replaces
    keyed = candidate.key is not None and candidate.key == fact.key
    return _begins_with(fact.text, candidate.text) or (keyed and not candidate.value)


def _begins_with(text: str, beginning: str) -> bool:
    whole, start = folded(text), folded(beginning)
    return whole == start or whole.startswith(f"{start} ")


def _is_same(candidate: Candidate, earlier: Change) -> bool:
    if earlier.act is ChangeType.REFUSE or candidate.ends != earlier.candidate.ends:
        return False
    return folded(candidate.text) == folded(earlier.candidate.text)


def _without_key(candidate: Candidate, claimed: Sequence[Fact]) -> Candidate:
    """Return the candidate without its key if a fact that goes on has it."""
    taken = any(fact.key == candidate.key for fact in claimed)
    return replace(candidate, key=None, value=None) if taken else candidate


def _conflict(candidate: Candidate, facts: Sequence[Fact], because: str) -> Change:
    candidate = _without_key(candidate, facts)
    return Change(ChangeType.CONFLICT, candidate, because, tuple(facts))
