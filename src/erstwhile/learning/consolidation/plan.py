"""Plan a consolidation: what says the same in one scope, what contradicts and what repeats."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from erstwhile.core.ids import MAX_ID
from erstwhile.core.kinds import Kind, Origin, State, Tier
from erstwhile.core.results import MAX_LIMIT
from erstwhile.core.time import from_micros
from erstwhile.facts.fact import Fact, to_fact
from erstwhile.facts.queries import params_on
from erstwhile.facts.similar import are_contradictory, near_facts
from erstwhile.learning.consolidation.statements import alike, beginnings, said
from erstwhile.records.model import Observation
from erstwhile.records.observations import OBSERVATIONS

if TYPE_CHECKING:
    from erstwhile.core.scope import Scope
    from erstwhile.storage.view import View

Statement = TypeVar("Statement", bound=Fact | Observation)
REPEATED = 3
"""The least number of observations that give a lesson."""
_OBSERVATIONS = 200
"""The newest observations that are compared."""
_MAX_GROUP = 8
"""The most statements of one group."""
_NO_MARK = from_micros(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidationPlan:
    """What rules found in one scope, and the groups to ask a language model about."""

    scope: Scope
    facts: Sequence[Fact]
    same: Sequence[tuple[Fact, ...]]
    """Facts that say the same; the one that stays is the first."""
    contradictory: Sequence[tuple[Fact, Fact]]
    lessons: Sequence[tuple[Observation, ...]]
    """Observations that teach the same, the newest first."""
    similar: Sequence[tuple[Fact, ...]]
    """Facts that resemble each other, in the order of the change of their first one."""
    observed: Sequence[tuple[Observation, ...]]
    """Observations that resemble each other."""
    fresh: bool
    """Whether anything is newer than the last run."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.fresh or self.same or self.lessons)


def is_protected(fact: Fact) -> bool:
    """Return whether only a person changes a fact: it is pinned, confirmed, stated or imported."""
    return fact.pinned or fact.tier is not Tier.INFERRED or fact.origin is Origin.PERSON


def make_plan(view: View, scope: Scope, scope_id: int | None, *, model: bool) -> ConsolidationPlan:
    """Plan the consolidation of exactly one scope."""
    facts = list(_live_facts(view, scope))
    since = _mark(view, scope_id, model=model)
    same = _same_groups(facts)
    ending = {fact.id for group in same for fact in group[1:]}
    changed = (fact for fact in facts if fact.known_from > since)
    fresh = sorted(changed, key=attrgetter("known_from", "id"))
    near = {each.id: _near(view, each, scope) for each in fresh}
    observations = _observations(view, scope_id)
    lessons = [each for each in _taught_alike(observations) if len(each) >= REPEATED]
    taught = {each.id for group in lessons for each in group}
    new = [each for each in observations if each.id not in taught]
    return ConsolidationPlan(
        scope=scope,
        facts=facts,
        same=same,
        contradictory=_pairs(fresh, near),
        lessons=lessons,
        similar=_stars(fresh, near, ending),
        observed=[each for each in _resembling(new) if each[0].created_at > since],
        fresh=bool(fresh) or any(each.created_at > since for each in observations),
    )


def _live_facts(view: View, scope: Scope) -> Iterator[Fact]:
    before = MAX_ID
    while True:
        params = {**params_on(view, {}), "before": before, "limit": MAX_LIMIT}
        found = [to_fact(row) for row in view.rows("list_facts", params, State.LIVE, "all")]
        yield from (fact for fact in found if fact.scope == scope)
        if len(found) < MAX_LIMIT:
            return
        before = found[-1].id


def _mark(view: View, scope_id: int | None, *, model: bool) -> datetime:
    """Return the time until which the scope was consolidated before."""
    rows = view.rows("last_consolidation", {"scope": scope_id, "model": int(model)})
    return from_micros(int(rows[0][0])) if rows and rows[0][0] else _NO_MARK


def _same_groups(facts: Sequence[Fact]) -> list[tuple[Fact, ...]]:
    """Return the groups of facts that say the same, wholly or in their beginning."""
    groups: dict[Hashable, list[Fact]] = {}
    for fact in facts:
        groups.setdefault(_content(fact, said(fact.text)), []).append(fact)
    for fact in sorted(facts, key=lambda each: len(each.text)):
        for part in beginnings(fact.text):
            own, contained = _content(fact, said(fact.text)), _content(fact, part)
            if contained in groups and contained != own:
                groups[own] += groups.pop(contained)
    return [tuple(sorted(each, key=_rank)) for each in groups.values() if len(each) > 1]


def _content(fact: Fact, words: tuple[str, ...]) -> Hashable:
    """Return what is equal for facts that may be merged. An event happens once on each day."""
    day = fact.valid_from.date() if fact.kind in (Kind.EVENT, Kind.STATE) else None
    return fact.kind, fact.key, fact.expires_at, day, words


def _rank(fact: Fact) -> tuple[object, ...]:
    """Return the order in which one of the facts stays: the fullest, surest and oldest."""
    content = len(said(fact.text))
    return (
        -content,
        not is_protected(fact),
        "unverified" in fact.metadata,
        -fact.confidence,
        fact.id,
    )


def _near(view: View, fact: Fact, scope: Scope) -> list[Fact]:
    found = near_facts(view, fact)
    return [other for other, _ in found if other.scope == scope]


def _pairs(fresh: Sequence[Fact], near: dict[str, list[Fact]]) -> list[tuple[Fact, Fact]]:
    """Return the facts that seem to contradict each other, each pair once."""
    pairs: dict[frozenset[str], tuple[Fact, Fact]] = {}
    for fact in fresh:
        for other in near.get(fact.id, ()):
            if are_contradictory(fact, other):
                pairs.setdefault(frozenset((fact.id, other.id)), (fact, other))
    return list(pairs.values())


def _stars(
    statements: Sequence[Statement],
    near: Mapping[str, list[Statement]],
    taken: Set[str] = frozenset(),
    least: int = 1,
) -> list[tuple[Statement, ...]]:
    """Return each statement with those that resemble it, if these are enough; each in one group."""
    grouped, groups = set(taken), list[tuple[Statement, ...]]()
    for each in statements:
        others = [other for other in near.get(each.id, ()) if other.id not in grouped]
        if each.id not in grouped and len(others) >= least:
            groups.append((each, *others[: _MAX_GROUP - 1]))
            grouped |= {member.id for member in groups[-1]}
    return groups


def _observations(view: View, scope_id: int | None) -> list[Observation]:
    params = {"scope": scope_id, "limit": _OBSERVATIONS}
    return OBSERVATIONS.select(view, "newest_observations", params)


def _taught_alike(observations: Sequence[Observation]) -> list[tuple[Observation, ...]]:
    """Return the observations of one type from which the same was learned, in the same words."""
    groups: dict[Hashable, list[Observation]] = {}
    for each in observations:
        if each.learned:
            groups.setdefault((each.type, said(each.learned)), []).append(each)
    return [tuple(group) for group in groups.values()]


def _resembling(observations: Sequence[Observation]) -> list[tuple[Observation, ...]]:
    """Return groups of observations of one type that share most of their words."""
    near: dict[str, list[Observation]] = {}
    for one, other in combinations(observations, 2):
        if one.type is other.type and alike(one.searched, other.searched):
            near.setdefault(one.id, []).append(other)
    return _stars(observations, near, least=REPEATED - 1)
