"""The tables of the use of facts and of feedback. They do not change a fact or its index."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ids import new_id
from erstwhile.core.kinds import Kind
from erstwhile.core.scope import Scope
from erstwhile.facts.fact import Fact
from erstwhile.facts.table import FACTS
from erstwhile.facts.usage_signals import (
    KEPT,
    Feedback,
    Judged,
    Signals,
    Use,
    Used,
    balance,
    day_of,
)
from erstwhile.storage.lookup import scope_for_new
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View


def note(unit: Unit, uses: Mapping[Use, int]) -> None:
    """Add queries to the use of existing facts, and delete old use."""
    for (scope, day), facts in _by_day(uses).items():
        number = unit.scope_id(scope)
        for id, kind, *before in unit.rows("uses_before", _listed(facts, scope=number)):
            half_life = Kind(kind).half_life
            known = Used(*before) if before[0] is not None else Used(day, 0, 0.0)
            now = known.again(day, facts[id], half_life)
            unit.send("note_use", {"fact": id, "scope": number, **now._asdict()})
    forget_old_uses(unit)


def forget_old_uses(unit: Unit) -> int:
    """Remove the uses that no longer count; return their number."""
    return unit.run("forget_old_uses", {"oldest": day_of(unit.now) - KEPT})


def judge(unit: Unit, ids: Sequence[str], verdict: Feedback, reason: str | None) -> list[Judged]:
    """Count feedback on visible facts, in the scope of the viewer."""
    scope = scope_for_new(unit.viewer, "judge")
    unit.scope_id(scope)
    if not ids:
        raise InvalidInputError("no id was given", remedy="give the id of each fact")
    facts = dict.fromkeys(FACTS.find(unit, each).id for each in ids)
    return [_judged(unit, scope, fact, verdict, reason) for fact in facts]


def signals(view: View, facts: Iterable[Fact]) -> dict[str, Signals]:
    """Return the signals of facts by id. Without today, so that answers stay equal within a day."""
    today, half_lives = day_of(view.now), {fact.id: fact.kind.half_life for fact in facts}
    told: dict[str, list[float]] = defaultdict(lambda: [0.0, 0, 0])
    for id, *used, useful, irrelevant in view.rows(
        "signals_of", _listed(half_lives, oldest=today - KEPT)
    ):
        sums = told[id]
        sums[0] += Used(*used).until(today, half_lives[id])
        sums[1] += useful
        sums[2] += irrelevant
    return {id: Signals(use, balance(*opinions)) for id, (use, *opinions) in told.items()}


def _by_day(uses: Mapping[Use, int]) -> dict[tuple[Scope, int], dict[str, int]]:
    days: dict[tuple[Scope, int], dict[str, int]] = defaultdict(dict)
    for use, queries in uses.items():
        days[use.scope, use.day][use.fact] = queries
    return days


def _listed(facts: Iterable[str], **more: int) -> dict[str, Any]:
    return {"facts": json.dumps(list(facts)), **more}


def _judged(unit: Unit, scope: Scope, fact: str, verdict: Feedback, reason: str | None) -> Judged:
    unit.tick()
    number = unit.scope_id(scope)
    before = unit.rows("find_feedback", {"fact": fact, "scope": number})
    id, useful, irrelevant = before[0] if before else (new_id(unit.now), 0, 0)
    useful, irrelevant = (
        useful + (verdict is Feedback.USEFUL),
        irrelevant + (verdict is Feedback.IRRELEVANT),
    )
    counts = {"useful": useful, "irrelevant": irrelevant, "changed_at": unit.stamp}
    if before:
        unit.run("change_feedback", {"id": id, **counts})
    else:
        unit.run("add_feedback", {"id": id, "scope": number, "fact": fact, **counts})
    unit.record(f"feedback.{verdict}", id, scope, reason, [fact, useful, irrelevant])
    return Judged(fact=fact, useful=useful, irrelevant=irrelevant, at=unit.now)
