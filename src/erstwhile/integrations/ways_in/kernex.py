"""The database of kernex (`memory.db`): facts under keys, and conversations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from erstwhile.core.kinds import Kind
from erstwhile.integrations.conversation_import import UnreadablePart
from erstwhile.integrations.ways_in.arrivals import Arrivals, ForeignFact
from erstwhile.integrations.ways_in.files import ForeignDatabase, text_of, time_of
from erstwhile.integrations.ways_in.talks import conversations_in

_OTHERS = ("lessons", "observations", "outcomes", "limitations", "scheduled_tasks")
"""Tables with records that are not imported; the report says so."""


def read(file: Path) -> Arrivals:
    """Return the facts that were not deleted, and all conversations."""
    database = ForeignDatabase(file)
    return Arrivals(
        facts=tuple(_facts(database)),
        conversations=tuple(
            conversations_in(database, "kernex", within="conversation_id", at="timestamp")
        ),
        left_out=tuple(_others(database)),
    )


def _facts(database: ForeignDatabase) -> Iterator[ForeignFact]:
    for row in database.rows("facts", "id", "sender_id", "key", "value"):
        key, value = text_of(row["key"]), text_of(row["value"])
        if key and value and row.get("deleted_at") is None:
            yield ForeignFact(
                id=str(row["id"]),
                text=f"{key.replace('_', ' ')}: {value}",
                user=text_of(row["sender_id"]) or None,
                kind=Kind.PROFILE,
                metadata={"key": key},
                since=time_of(row.get("updated_at") or row.get("created_at")),
            )


def _others(database: ForeignDatabase) -> Iterator[UnreadablePart]:
    for table in _OTHERS:
        if count := sum(1 for _ in database.rows(table)):
            reason = f"its {count} records have no place in this import"
            yield UnreadablePart(place=f"table {table}", reason=reason)
