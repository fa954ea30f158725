"""Build the search index of imported records, as a repair does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from erstwhile.core.kinds import TextKind
from erstwhile.decisions.decision import Decider
from erstwhile.storage.unit import Unit
from erstwhile.upkeep.searched_records import index_record

_KINDS = {
    "facts": TextKind.FACTS,
    "messages": TextKind.MESSAGES,
    "conversations": TextKind.SUMMARIES,
    "lessons": TextKind.LESSONS,
    "observations": TextKind.OBSERVATIONS,
}
_DECISIONS = "decisions"
INDEXED = frozenset((*_KINDS, _DECISIONS))
"""The tables whose records are searched."""


def index_row(unit: Unit, table: str, row: Mapping[str, Any]) -> None:
    """Index a row that was imported, if it is searched."""
    if table == _DECISIONS:
        _enqueue_decision(unit, row)
    elif _is_searched(_KINDS[table], row):
        index_record(unit, _KINDS[table], row["id"])


def _is_searched(kind: TextKind, row: Mapping[str, Any]) -> bool:
    """Return whether a record is in the index; ended and deleted facts are."""
    if kind is TextKind.MESSAGES:
        return bool(row["content"]) and row["undone_at"] is None
    if kind is TextKind.SUMMARIES:
        return bool(row["summary"])
    return kind is TextKind.FACTS or row["deleted_at"] is None


def _enqueue_decision(unit: Unit, row: Mapping[str, Any]) -> None:
    """Let a decision get its vector. Those of an agent are found by their words."""
    if row["decided_by"] != Decider.AGENT:
        [(number, *_)] = unit.rows("number_and_digests", {"id": row["id"]})
        unit.send("enqueue", {"seq": -number, "due_at": unit.stamp})
