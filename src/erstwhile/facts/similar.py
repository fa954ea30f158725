"""Find the live facts that a new fact resembles, and those that it seems to contradict.

One search by words in the transaction of `remember`: two neighbouring terms select candidates, and
the share of all terms decides.
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

_MOST = 3
"""The most similar facts of a result; and so for conflicts."""
_CANDIDATES = 12
"""The most facts to compare with."""
_ALIKE = 0.5
"""The share of terms that two similar facts have in common."""
_REASON = "another value in the same statement"


def with_similar(unit: Unit, fact: Fact) -> Fact:
    """Return a new fact with its similar facts; link those that it contradicts as conflicts."""
    if fact.state_at(unit.now) not in (State.LIVE, State.QUARANTINED):
        return fact
    similar: list[Fact] = []
    rivals: list[Fact] = []
    for other in _similar_facts(unit, fact):
        (rivals if _contradicts(fact, other) else similar).append(other)
    if rivals and fact.trust is Trust.TRUSTED:
        noted = note_conflict(unit, fact, rivals[:_MOST], _REASON)
        rivals = [each.other(fact.id) for each in noted if each.settled_at is None]
    if not similar and not rivals:
        return fact
    return replace(fact, similar=tuple(similar[:_MOST]), conflicts=tuple(rivals[:_MOST]))


def _contradicts(fact: Fact, other: Fact) -> bool:
    """Return whether two live facts contradict each other; events happen more than once."""
    return Kind.EVENT not in (fact.kind, other.kind) and contradict(fact.text, other.text)


def _similar_facts(view: View, fact: Fact) -> list[Fact]:
    """Return other live facts with many of the same terms, the most similar first."""
    own = frozenset(terms := query_terms(fact.text))
    shares: dict[str, float] = {}
    for id, stored in _candidates(view, terms):
        theirs = stored.split()
        common = len(own.intersection(theirs))
        if 3 * common >= len(own):  # or else the share is too small
            both = len(own) + len({*theirs} - stop_terms())
            shares[id] = 2 * common / both
    ids = [id for id in shares if id != fact.id and shares[id] >= _ALIKE]
    ids.sort(key=shares.__getitem__, reverse=True)
    live = [each for id in ids[: 2 * _MOST] for each in FACTS.starting_with(view, id)]
    return [each for each in live if each.state_at(view.now) is State.LIVE]


def _candidates(view: View, terms: Sequence[str]) -> list[tuple[str, str]]:
    """Return the ids and terms of the newest facts that share two neighbouring terms.

    These are the first terms, which name the subject and what is said of it, and the last ones.
    """
    pairs = list[tuple[str, ...]](pairwise(terms))
    if len(pairs) < 2:
        pairs = [(term,) for term in terms]
    chosen = dict.fromkeys((*pairs[:1], *pairs[-1:]))
    places = [each.id for each in passages.partitions(view, (PartitionGroup.FACTS,))]
    groups = [[marked(term, at, True) for term in pair] for at in places for pair in chosen]
    params = {"groups": json.dumps(groups, ensure_ascii=False), "limit": _CANDIDATES}
    return view.rows("passages_with_groups", params) if groups else []
