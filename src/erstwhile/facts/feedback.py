"""The use of facts in prompts by day and query, and feedback on facts."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from math import pow
from typing import Any, NamedTuple

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ids import new_id
from erstwhile.core.kinds import Kind
from erstwhile.core.scope import Scope
from erstwhile.core.text import folded
from erstwhile.facts.fact import Fact
from erstwhile.facts.table import FACTS
from erstwhile.secrets.masking import public_record
from erstwhile.storage.record import scope_for_new
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

KEPT = 90
"""The number of days for which the use of a fact is kept."""
_HALF_LIFE = 30.0
"""The number of days after which a use counts half; fewer for facts that age faster."""
_BITS = 62
"""The number of bits that distinguish the queries of one day."""
_DOUBT = 2
"""A prior count of opinions, so that one opinion alone has little effect."""
_FIRST_DAY = datetime(1970, 1, 1, tzinfo=UTC).toordinal()


class Feedback(StrEnum):
    """The judgement on a recalled fact."""

    USEFUL = "useful"
    IRRELEVANT = "irrelevant"


@public_record
class Judged:
    """All feedback on a fact in one scope."""

    fact: str
    useful: int
    irrelevant: int
    at: datetime


class Use(NamedTuple):
    """The use of a fact in the prompts of one scope on one day."""

    scope: Scope
    fact: str
    day: int


class Used(NamedTuple):
    """The use of a fact in one scope, up to the last day of use."""

    day: int
    queries: int
    """A bit for each query of that day."""
    earlier: float
    """The use of earlier days, with decay."""

    def again(self, day: int, queries: int, half_life: float) -> Used:
        """Return the use with the queries of one more day, later or earlier."""
        if day == self.day:
            return self._replace(queries=self.queries | queries)
        if day > self.day:
            return Used(day, queries, self.until(day, half_life))
        late = _faded(queries.bit_count(), self.day - day, half_life)
        return self._replace(earlier=self.earlier + late)

    def until(self, day: int, half_life: float) -> float:
        """Return the use of all days before a day, with decay, as a number of different queries."""
        if day < self.day:
            return 0.0
        own = self.queries.bit_count() if day > self.day else 0
        return _faded(self.earlier + own, day - self.day, half_life)


@dataclass(frozen=True, slots=True)
class Signals:
    """The signals of a fact for ranking. The value 0 has no effect."""

    use: float = 0.0
    """The number of queries on earlier days; older ones count less."""
    feedback: float = 0.0
    """From -1, always irrelevant, to 1, always useful."""


NO_SIGNALS = Signals()


def day_of(moment: datetime) -> int:
    """Return the days since 1970, in UTC."""
    return moment.astimezone(UTC).toordinal() - _FIRST_DAY


def query_bit(query: str) -> int:
    """Return one of a few bits, equal for equal queries in every process."""
    return 1 << int.from_bytes(sha256(folded(query).encode()).digest()[:8]) % _BITS


def _faded(use: float, days: int, half_life: float) -> float:
    return use * pow(0.5, days / min(half_life, _HALF_LIFE))


def balance(useful: float, irrelevant: float) -> float:
    """Return the balance of opinions, from -1 to 1."""
    return (useful - irrelevant) / (useful + irrelevant + _DOUBT)


def note(unit: Unit, uses: Mapping[Use, int]) -> None:
    """Add queries to the use of existing facts, and delete old use."""
    days: dict[tuple[Scope, int], dict[str, int]] = defaultdict(dict)
    for use, queries in uses.items():
        days[use.scope, use.day][use.fact] = queries
    for (scope, day), facts in days.items():
        number = unit.scope_id(scope)
        for id, kind, *before in unit.rows("uses_before", _ids_param(facts, scope=number)):
            half_life = Kind(kind).half_life
            known = Used(*before) if before[0] is not None else Used(day, 0, 0.0)
            now = known.again(day, facts[id], half_life)
            unit.execute_async("note_use", {"fact": id, "scope": number, **now._asdict()})
    forget_old_uses(unit)


def forget_old_uses(unit: Unit) -> int:
    """Remove expired uses; return their number."""
    return unit.run("forget_old_uses", {"oldest": day_of(unit.now) - KEPT})


def judge(unit: Unit, ids: Sequence[str], verdict: Feedback, reason: str | None) -> list[Judged]:
    """Count feedback on visible facts, in the scope of the viewer."""
    scope = scope_for_new(unit.viewer, "judge")
    unit.scope_id(scope)
    if not ids:
        raise InvalidInputError("no id was given", remedy="give the id of each fact")
    facts = dict.fromkeys(FACTS.find(unit, each).id for each in ids)
    return [_add_feedback(unit, scope, fact, verdict, reason) for fact in facts]


def signals(view: View, facts: Iterable[Fact]) -> dict[str, Signals]:
    """Return the signals of facts by id, without today: answers stay equal within a day."""
    today, half_lives = day_of(view.now), {fact.id: fact.kind.half_life for fact in facts}
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0, 0])
    params = _ids_param(half_lives, oldest=today - KEPT)
    for id, *used, useful, irrelevant in view.rows("signals_of", params):
        sums[id][0] += Used(*used).until(today, half_lives[id])
        sums[id][1] += useful
        sums[id][2] += irrelevant
    return {id: Signals(use, balance(*opinions)) for id, (use, *opinions) in sums.items()}


def _ids_param(facts: Iterable[str], **more: int) -> dict[str, Any]:
    return {"facts": json.dumps(list(facts)), **more}


def _add_feedback(
    unit: Unit, scope: Scope, fact: str, verdict: Feedback, reason: str | None
) -> Judged:
    unit.tick()
    number = unit.scope_id(scope)
    before = unit.rows("find_feedback", {"fact": fact, "scope": number})
    id, useful, irrelevant = before[0] if before else (new_id(unit.now), 0, 0)
    useful += verdict is Feedback.USEFUL
    irrelevant += verdict is Feedback.IRRELEVANT
    counts = {"useful": useful, "irrelevant": irrelevant, "changed_at": unit.stamp}
    if before:
        unit.run("change_feedback", {"id": id, **counts})
    else:
        unit.run("add_feedback", {"id": id, "scope": number, "fact": fact, **counts})
    unit.record(f"feedback.{verdict}", id, scope, reason, [fact, useful, irrelevant])
    return Judged(fact=fact, useful=useful, irrelevant=irrelevant, at=unit.now)
