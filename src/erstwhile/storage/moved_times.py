"""The columns of all tables that hold a time, and the statements that move them.

A test compares them with the schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from erstwhile.storage.statements import Statements, load

_CREATED, _CHANGED, _DELETED = "created_at", "changed_at", "deleted_at"


@dataclass(frozen=True, slots=True)
class MovedTimes:
    """The times of one table. `written` tells when a row was stored last."""

    table: str
    written: str
    stamps: tuple[str, ...] = ()
    """Times at which something was stored, beside `written`."""
    truths: tuple[str, ...] = ()
    """Times that a fact tells."""

    def statement(self, sql: Statements) -> str:
        """Return the statement that moves these times."""
        filled = sql.filled(
            {
                "table": self.table,
                "written": self.written,
                "changes": ", ".join(self._changes(sql)),
            }
        )
        return filled["move",]

    def _changes(self, sql: Statements) -> Iterator[str]:
        kinds = [("stamp", (self.written, *self.stamps)), ("truth", self.truths)]
        for kind, columns in kinds:
            for column in columns:
                yield sql.filled({"table": self.table, "column": column})[kind,]


_TOLD = ("valid_from", "valid_to", "expires_at")
MOVED = (
    MovedTimes("facts", "known_from", ("recorded_at", "retired_at", _DELETED), _TOLD),
    MovedTimes("fact_versions", "known_from", ("retired_at", _DELETED), _TOLD),
    MovedTimes("fact_versions", "known_to"),
    MovedTimes("fact_tags", "since"),
    MovedTimes("fact_entities", "since"),
    MovedTimes("relations", "since"),
    MovedTimes("feedback", _CHANGED),
    MovedTimes("conflicts", _CHANGED, (_CREATED, _DELETED, "settled_at")),
    MovedTimes("blocks", "known_from", (_CREATED, _DELETED)),
    MovedTimes("block_versions", "known_from", (_DELETED,)),
    MovedTimes("block_versions", "known_to"),
    MovedTimes("decisions", _CHANGED, ("decided_at", "recorded_at", "outcome_at", _DELETED)),
    MovedTimes("conversations", _CHANGED, ("started_at", "closed_at", "active_at", _DELETED)),
    MovedTimes("messages", _CHANGED, ("said_at", "undone_at", "learned_at")),
    MovedTimes("compactions", _CHANGED, (_CREATED, "undone_at")),
    MovedTimes("sessions", _CHANGED),
    MovedTimes("identities", _CHANGED),
    MovedTimes("tasks", _CHANGED, (_CREATED, _DELETED, "due_at", "occurrence_at", "lease_until")),
    MovedTimes("task_runs", _CHANGED, ("occurrence_at", "started_at", "finished_at")),
    MovedTimes("checkpoints", _CHANGED, (_CREATED, _DELETED)),
    MovedTimes("snapshots", _CHANGED, (_CREATED, _DELETED, "at")),
    MovedTimes("outcomes", _CHANGED, (_CREATED, _DELETED)),
    MovedTimes("lessons", _CHANGED, (_CREATED, _DELETED, "learned_at")),
    MovedTimes("observations", _CHANGED, (_CREATED, _DELETED)),
    MovedTimes("limitations", _CHANGED, (_CREATED, _DELETED, "reported_at", "resolved_at")),
    MovedTimes("usage", _CHANGED, (_CREATED, _DELETED, "at")),
    MovedTimes("onboarding", "reached_at"),
    MovedTimes("learning", "try_at"),
    MovedTimes("learning", "leased_until"),
    MovedTimes("attempts", _CHANGED, (_CREATED, _DELETED)),
    MovedTimes("outbox", "due_at"),
    MovedTimes("maintenance", "leased_until"),
    MovedTimes("maintenance", "finished_at"),
    MovedTimes("requests", "made_at"),
    MovedTimes("audit", "at"),
)


@cache
def moves() -> tuple[str, ...]:
    """Return the statements that move the times of all tables, for every engine."""
    sql = load("shared", Path(__file__).parent / "moves")
    return tuple(each.statement(sql) for each in MOVED)
