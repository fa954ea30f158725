"""Find the live facts that a new fact resembles, and those that it seems to contradict.

One search by words in the transaction of `remember`: pairs of terms select candidates. The share of
all terms says whether a candidate is similar, and its text whether it contradicts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from erstwhile.core.kinds import Kind, State, Trust
from erstwhile.facts.conflict import note_conflict
from erstwhile.facts.contradictions import contradict
from erstwhile.facts.fact import Fact
from erstwhile.facts.table import FACTS
from erstwhile.search.terms import query_terms, stop_terms
from erstwhile.storage import passages
from erstwhile.storage.passages import PartitionGroup, marked
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_MAX_FACTS = 3
"""The most similar facts of a result; and so for conflicts."""
_CANDIDATES = 12
"""The most facts to compare with."""
_ALIKE = 0.5
"""The share of terms that two similar facts have in common."""
_USER = "user"
"""The term of a subject that also speaks in the first person."""
_OTHER_TERMS = 4
"""The most terms of one fact alone if two contradict each other, which differ in a value only."""
_REASON = "another value in the same statement"


def with_similar(unit: Unit, fact: Fact) -> Fact:
    """Return a new fact with its similar facts; link those that it contradicts as conflicts."""
    if fact.state_at(unit.now) not in (State.LIVE, State.QUARANTINED):
        return fact
    similar: list[Fact] = []
    rivals: list[Fact] = []
    for other, share in near_facts(unit, fact):
        if are_contradictory(fact, other):
            rivals.append(other)
        elif share >= _ALIKE:
            similar.append(other)
    if rivals and fact.trust is Trust.TRUSTED:
        noted = note_conflict(unit, fact, rivals[:_MAX_FACTS], _REASON)
        rivals = [each.other(fact.id) for each in noted if each.settled_at is None]
    if not similar and not rivals:
        return fact
    return replace(fact, similar=tuple(similar[:_MAX_FACTS]), conflicts=tuple(rivals[:_MAX_FACTS]))


def are_contradictory(fact: Fact, other: Fact) -> bool:
    """Return whether two live facts contradict each other; events happen more than once."""
    return Kind.EVENT not in (fact.kind, other.kind) and contradict(fact.text, other.text)


def near_facts(view: View, fact: Fact) -> list[tuple[Fact, float]]:
    """Return other live facts and their shares of the same terms, the most similar first."""
    own = frozenset(terms := query_terms(fact.text))
    shares: dict[str, float] = {}
    for id, stored in _candidates(view, terms):
        theirs = frozenset(stored.split())
        common = len(own & theirs)
        if 3 * common < len(own):  # the share is too small
            continue
        theirs -= stop_terms()
        share = 2 * common / (len(own) + len(theirs))
        if share >= _ALIKE or max(len(own), len(theirs)) - common <= _OTHER_TERMS:
            shares[id] = share
    shares.pop(fact.id, None)
    ids = sorted(shares, key=shares.__getitem__, reverse=True)[: 2 * _MAX_FACTS]
    near = [(each, shares[id]) for id in ids for each in FACTS.starting_with(view, id)]
    return [(each, share) for each, share in near if each.state_at(view.now) is State.LIVE]


def _candidates(view: View, terms: Sequence[str]) -> list[tuple[str, str]]:
    """Return the ids and terms of the newest facts that share a group of terms."""
    chosen = dict.fromkeys(_groups(terms))
    if terms[:1] == [_USER]:  # as "The user lives in Lisbon", which may also be said as "I live …"
        chosen |= dict.fromkeys(_groups(terms[1:]))
    places = [each.id for each in passages.partitions(view, (PartitionGroup.FACTS,))]
    groups = [[marked(term, at, True) for term in group] for at in places for group in chosen]
    params = {"groups": json.dumps(groups, ensure_ascii=False), "limit": _CANDIDATES}
    return view.rows("passages_with_groups", params) if groups else []


def _groups(terms: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the groups of terms of which a candidate has all.

    These are the first two terms, which name the subject and what is said of it, the last two, and
    the ends, between which the value may be. A figure is nearly always the value. A part of the
    term before it (`sql` of `mysql`) does not count.
    """
    named = [term for term in terms if not term[0].isdigit()] or terms
    named = [term for term, before in zip(named, ("", *named), strict=False) if term not in before]
    pairs = list[tuple[str, ...]](pairwise(named))
    if len(pairs) < 2:
        return [(term,) for term in named]
    return [pairs[0], pairs[-1], (named[0], named[-1])]
