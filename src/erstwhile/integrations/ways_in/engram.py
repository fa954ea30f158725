"""The database of engram: memories, and memory blocks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from erstwhile.core.kinds import Kind
from erstwhile.integrations.ways_in.arrivals import Arrivals, ForeignBlock, ForeignFact
from erstwhile.integrations.ways_in.files import ForeignDatabase, object_of, text_of, time_of

_KINDS = {"preference": Kind.PREFERENCE, "decision": Kind.DECISION}
_PASSED_OVER = frozenset(("credential", "transcript_chunk"))
"""Types that are no statements, or must not be copied."""


def read(file: Path) -> Arrivals:
    """Return the memories, and the present versions of the blocks."""
    database = ForeignDatabase(file)
    return Arrivals(facts=tuple(_facts(database)), blocks=tuple(_blocks(database)))


def _facts(database: ForeignDatabase) -> Iterator[ForeignFact]:
    for row in database.rows("memories", "id", "content"):
        text, type = text_of(row["content"]), text_of(row.get("memory_type"))
        if not text or type in _PASSED_OVER:
            continue
        yield ForeignFact(
            id=str(row["id"]),
            text=text,
            kind=_KINDS.get(type, Kind.FACT),
            tags=[type] if type else [],
            metadata=dict(object_of(row.get("metadata"))),
            since=time_of(row.get("valid_from") or row.get("created_at")),
            until=time_of(row.get("valid_to") or row.get("expires_at")),
        )


def _blocks(database: ForeignDatabase) -> Iterator[ForeignBlock]:
    for row in database.rows("memory_blocks", "name", "content"):
        if text_of(row["name"]) and text_of(row["content"]):
            yield ForeignBlock(name=text_of(row["name"]), content=row["content"])
