"""Reconcile all candidates of a turn in order: each sees the changes of those before it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from erstwhile.core.scope import Scope
from erstwhile.core.text import folded
from erstwhile.core.time import FOREVER
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.change import Act, Change
from erstwhile.learning.reconcile.authority import rank
from erstwhile.learning.reconcile.claims import judge_claims
from erstwhile.learning.reconcile.compare import compare
from erstwhile.learning.reconcile.comparison import Sense
from erstwhile.learning.reconcile.decide import RETIRING, decide


def reconcile(
    candidates: Sequence[Candidate],
    known: Sequence[Fact],
    *,
    scope: Scope,
    now: datetime,
    said_later: Collection[str] = (),
) -> list[Change]:
    """Return one change per candidate, in order. Only facts of exactly this scope are touched.

    `said_later` are the ids of facts from messages after this turn: they are not retired.
    """
    mine = [fact for fact in known if fact.scope == scope and _open(fact, now)]
    changes: list[Change] = []
    for candidate, claims in zip(candidates, judge_claims(candidates, mine), strict=True):
        changes = [_after(change, candidate) for change in changes]
        twice = any(_said_by(change, candidate) for change in changes)
        if twice:
            changes.append(_refused(candidate, "repeated in this turn"))
        else:
            left = _not_yet_retired(mine, changes)
            changes.append(decide(candidate, left, claims, now=now, said_later=said_later))
    return changes


def _open(fact: Fact, now: datetime) -> bool:
    """Return whether a fact is true now, trusted or not: it can be repeated or retired."""
    begun = fact.deleted_at is None and fact.retired_at is None and fact.valid_from <= now
    return begun and (fact.ends_at or FOREVER) > now


def _not_yet_retired(facts: Sequence[Fact], changes: Sequence[Change]) -> list[Fact]:
    gone = {fact.id for change in changes if change.act in RETIRING for fact in change.facts}
    return [fact for fact in facts if fact.id not in gone]


def _after(earlier: Change, candidate: Candidate) -> Change:
    """Return an earlier change of the turn, refused if the candidate corrects it."""
    if earlier.act is Act.REFUSE or rank(candidate) < rank(earlier.candidate):
        return earlier
    sense = _sense(candidate, earlier.candidate)
    if sense is Sense.CHANGED or (sense is Sense.SAME and candidate.ends != earlier.candidate.ends):
        return _refused(earlier.candidate, "corrected later in this turn")
    if sense is Sense.SAME and rank(candidate) > rank(earlier.candidate):
        return _refused(earlier.candidate, "repeated in this turn by a more trusted speaker")
    return earlier


def _said_by(earlier: Change, candidate: Candidate) -> bool:
    if earlier.act is Act.REFUSE or earlier.candidate.ends != candidate.ends:
        return False
    return _sense(candidate, earlier.candidate) is Sense.SAME


def _sense(candidate: Candidate, earlier: Candidate) -> Sense:
    result = compare(candidate.text, earlier.text, candidate.instead_of)
    keyed = None not in (candidate.key, earlier.key) and _key(candidate) == _key(earlier)
    return Sense.CHANGED if keyed and result.sense is not Sense.SAME else result.sense


def _key(candidate: Candidate) -> str:
    return folded(candidate.key or "")


def _refused(candidate: Candidate, because: str) -> Change:
    return Change(act=Act.REFUSE, candidate=candidate, because=because)
