"""A conflict: a pair of possibly contradictory facts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from operator import attrgetter

from erstwhile.core.kinds import State
from erstwhile.core.ports import Row
from erstwhile.core.public_record import public_record
from erstwhile.facts.fact import Fact
from erstwhile.facts.table import FACTS
from erstwhile.storage.columns import Codec, RowType
from erstwhile.storage.record import Record
from erstwhile.storage.table import EITHER, RecordTable, new_head
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_GONE = frozenset((State.RETIRED, State.DELETED))


@public_record
class Conflict(Record):
    """A pair of facts, the older one first. The conflict is open until `settled_at`."""

    _shown = ("short_id", "older.text", "newer.text", "resolution")
    older: Fact
    newer: Fact
    reason: str | None
    settled_at: datetime | None = None
    kept: str | None = None
    """The id of the fact that stays; None if both stay."""
    resolution: str | None = None
    moot: bool = False
    """Whether one of the two facts has ended or is deleted: the conflict is over."""

    def other(self, kept: str) -> Fact:
        """Return the fact of the pair whose id is not `kept`."""
        return self.newer if kept == self.older.id else self.older


def note_conflict(unit: Unit, fact: Fact, others: Iterable[Fact], reason: str) -> list[Conflict]:
    """Store a conflict between a fact and each of the others; stored pairs do not change.

    The conflict belongs to the narrower scope of the two facts.
    """
    pairs = [sorted((fact, other), key=lambda each: each.id) for other in others]
    return [_add_conflict(unit, older, newer, reason) for older, newer in pairs]


def open_conflicts_of(unit: Unit, fact: Fact) -> list[Conflict]:
    """Return the visible open conflicts of a fact."""
    found = CONFLICTS.select(unit, "open_conflicts_of", {"fact": fact.id})
    return [each for each in found if not each.moot]


def open_among(view: View, facts: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of fact ids with an open conflict."""
    wanted = list(facts)
    rows = view.rows("open_conflicts_among", {"facts": json.dumps(wanted)}) if wanted else []
    return [(older, newer) for older, newer in rows]


class ConflictTable(RecordTable[Conflict]):
    """The table of conflicts; both facts are read as the view shows them, deleted or not."""

    noun = "conflict"
    name = "conflicts"

    row_type = RowType(
        Conflict,
        "conflict",
        without=("moot",),
        codecs={"older": Codec(attrgetter("id")), "newer": Codec(attrgetter("id"))},
    )

    def to_item(self, view: View, row: Row) -> Conflict:
        facts = [FACTS.find(view, id, among=EITHER) for id in row[8:10]]
        moot = any(fact.state_at(view.now) in _GONE for fact in facts)
        return self.row_type.decode((*row[:8], *facts, *row[10:]), moot=moot)


CONFLICTS = ConflictTable()


def _add_conflict(unit: Unit, older: Fact, newer: Fact, reason: str) -> Conflict:
    unit.tick()
    scope = newer.scope if newer.scope.sees(older.scope) else older.scope
    pair = {"scope": unit.scope_id(scope), "older": older.id, "newer": newer.id}
    if known := CONFLICTS.select(unit, "find_conflict", pair):
        return known[0]
    head = {**new_head(unit), "scope": scope}
    new = Conflict(older=older, newer=newer, reason=reason, **head)
    return CONFLICTS.add(unit, new, "note")
