"""Conflicts: pairs of facts that may contradict each other, each stored once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from erstwhile.core.kinds import State
from erstwhile.core.ports import Row
from erstwhile.facts.fact import Fact
from erstwhile.facts.table import FACTS
from erstwhile.secrets.masking import masked_repr
from erstwhile.storage import columns
from erstwhile.storage.record import Record
from erstwhile.storage.record_table import RecordTable, new_head
from erstwhile.storage.table import EITHER
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_GONE = frozenset((State.RETIRED, State.DELETED))


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict(Record):
    """A pair of facts, the older one first. The conflict is open until `settled_at`."""

    older: Fact
    newer: Fact
    reason: str | None
    settled_at: datetime | None
    kept: str | None
    """The id of the fact that stays; None if both stay."""
    resolution: str | None
    moot: bool
    """Whether one of the two facts has ended or is deleted: the conflict is over."""

    def other(self, kept: str) -> Fact:
        """Return the fact of the pair whose id is not `kept`."""
        return self.newer if kept == self.older.id else self.older


def note_conflict(unit: Unit, fact: Fact, others: Iterable[Fact], reason: str) -> list[Conflict]:
    """Store that a fact may contradict each of the others; stored pairs do not change.

    The conflict belongs to the narrower scope of the two facts.
    """
    return [
        _note(unit, min(fact, other, key=_by_id), max(fact, other, key=_by_id), reason)
        for other in others
    ]


def open_conflicts_of(unit: Unit, fact: Fact) -> list[Conflict]:
    """Return the visible conflicts of a fact that are neither settled nor over."""
    found = CONFLICTS.select(unit, "open_conflicts_of", {"fact": fact.id})
    return [each for each in found if not each.moot]


def open_among(view: View, facts: Iterable[str]) -> list[tuple[str, str]]:
    """Return the ids of the pairs of facts that have an open conflict."""
    wanted = list(facts)
    rows = view.rows("open_conflicts_among", {"facts": json.dumps(wanted)}) if wanted else []
    return [(older, newer) for older, newer in rows]


class ConflictTable(RecordTable[Conflict]):
    """The table of conflicts; both facts are read as the view shows them, deleted or not."""

    noun = "conflict"
    name = "conflicts"
    adding = "add_conflict"
    changing = "change_conflict"

    def fields(self, item: Conflict) -> dict[str, Any]:
        return {
            "older": item.older.id,
            "newer": item.newer.id,
            "reason": item.reason,
            "settled_at": columns.micros(item.settled_at),
            "kept": item.kept,
            "resolution": item.resolution,
        }

    def to_item(self, view: View, row: Row) -> Conflict:
        older, newer, reason, settled_at, kept, resolution = row[8:]
        facts = [FACTS.find(view, id, among=EITHER) for id in (older, newer)]
        return Conflict(
            older=facts[0],
            newer=facts[1],
            reason=reason,
            settled_at=columns.moment(settled_at),
            kept=kept,
            resolution=resolution,
            moot=any(fact.state(view.now) in _GONE for fact in facts),
            **self.head(row),
        )


CONFLICTS = ConflictTable()


def _note(unit: Unit, older: Fact, newer: Fact, reason: str) -> Conflict:
    unit.tick()
    scope = newer.scope if newer.scope.sees(older.scope) else older.scope
    head = {**new_head(unit), "scope": scope}
    pair = {"scope": unit.scope_id(head["scope"]), "older": older.id, "newer": newer.id}
    if known := CONFLICTS.select(unit, "find_conflict", pair):
        return known[0]
    new = Conflict(
        older=older,
        newer=newer,
        reason=reason,
        settled_at=None,
        kept=None,
        resolution=None,
        moot=False,
        **head,
    )
    return CONFLICTS.add(unit, new, "note")


def _by_id(fact: Fact) -> str:
    return fact.id
