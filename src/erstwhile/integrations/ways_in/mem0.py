"""Memories of mem0: the JSON of `get_all`, or its SQLite history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from erstwhile.integrations.ways_in.arrivals import Arrivals, ForeignFact, id_of
from erstwhile.integrations.ways_in.files import (
    ForeignDatabase,
    is_database,
    list_of,
    object_of,
    read_json,
    text_of,
    time_of,
)


def read(file: Path) -> Arrivals:
    """Return the memories; of a history, the last text of each that was not deleted."""
    if is_database(file):
        return Arrivals(facts=tuple(_of_history(file)))
    told = read_json(file)
    memories = list_of(told) or list_of(object_of(told).get("results"))
    return Arrivals(facts=tuple(filter(None, map(_fact, memories))))


def _fact(told: Any) -> ForeignFact | None:
    memory = object_of(told)
    text = text_of(memory.get("memory"))
    if not text:
        return None
    return ForeignFact(
        id=text_of(memory.get("id")) or id_of(text),
        text=text,
        user=text_of(memory.get("user_id")) or None,
        metadata=dict(object_of(memory.get("metadata"))),
        since=time_of(memory.get("updated_at") or memory.get("created_at")),
    )


def _of_history(file: Path) -> Iterator[ForeignFact]:
    """Yield what is left after all events. The history does not say whose memories they are."""
    last: dict[str, Mapping[str, Any]] = {}
    for event in ForeignDatabase(file).rows("history", "memory_id", "new_memory", "event"):
        last[str(event["memory_id"])] = event
    for id, event in last.items():
        text = text_of(event["new_memory"])
        if text and not event.get("is_deleted"):
            since = time_of(event.get("updated_at") or event.get("created_at"))
            yield ForeignFact(id=id, text=text, since=since)
