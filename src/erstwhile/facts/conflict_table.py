"""Conflicts as records: a pair of facts is noted once, and is not asked about again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from erstwhile.core.kinds import State
from erstwhile.core.ports import Row
from erstwhile.facts import table as fact_table
from erstwhile.facts.conflict import Conflict
from erstwhile.facts.fact import Fact
from erstwhile.storage import columns, record_table
from erstwhile.storage.record_table import Table
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_GONE = frozenset((State.RETIRED, State.DELETED))


def note_conflict(unit: Unit, fact: Fact, others: Iterable[Fact], reason: str) -> list[Conflict]:
    """Say that a fact may contradict each of some others; pairs that were noted stay as they are.

    The conflict belongs where it was noticed: who sees it from there sees both facts.
    """
    return [
        _note(unit, min(fact, other, key=_by_id), max(fact, other, key=_by_id), reason)
        for other in others
    ]


def open_among(view: View, facts: Iterable[str]) -> list[tuple[str, str]]:
    """The pairs of these facts, by their ids, that may contradict each other."""
    wanted = list(facts)
    rows = view.rows("open_conflicts_among", {"facts": json.dumps(wanted)}) if wanted else []
    return [(older, newer) for older, newer in rows]


def table(view: View) -> Table[Conflict]:
    """How conflicts are stored; the facts are read as the view shows them, deleted or not."""

    def read(row: Row, head: dict[str, Any]) -> Conflict:
        older, newer = (_either(view, id) for id in row[:2])
        return Conflict(
            older=older,
            newer=newer,
            reason=row[2],
            settled_at=columns.moment(row[3]),
            kept=row[4],
            resolution=row[5],
            moot=any(fact.state(view.now) in _GONE for fact in (older, newer)),
            **head,
        )

    return Table(
        noun="conflict",
        name="conflicts",
        adding="add_conflict",
        changing="change_conflict",
        fields=_fields,
        read=read,
    )


def _note(unit: Unit, older: Fact, newer: Fact, reason: str) -> Conflict:
    unit.tick()
    head, stored = record_table.new_head(unit), table(unit)
    pair = {"scope": unit.scope_id(head["scope"]), "older": older.id, "newer": newer.id}
    if rows := unit.rows("find_conflict", pair):
        return stored.to_item(rows[0])
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
    return record_table.add(unit, stored, new, "note")


def _fields(conflict: Conflict) -> dict[str, Any]:
    return {
        "older": conflict.older.id,
        "newer": conflict.newer.id,
        "reason": conflict.reason,
        "settled_at": columns.micros(conflict.settled_at),
        "kept": conflict.kept,
        "resolution": conflict.resolution,
    }


def _either(view: View, id: str) -> Fact:
    return fact_table.find(view, id, among=fact_table.PRESENT_OR_DELETED)


def _by_id(fact: Fact) -> str:
    return fact.id
