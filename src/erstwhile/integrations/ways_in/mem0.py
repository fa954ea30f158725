"""Memories of mem0: the JSON of `get_all`, its local Qdrant store, or its SQLite history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from erstwhile.integrations.conversation_import import UnreadablePart
from erstwhile.integrations.ways_in.arrivals import Arrivals, ForeignFact, facts_of, id_of
from erstwhile.integrations.ways_in.files import (
    ForeignDatabase,
    is_database,
    list_of,
    object_of,
    read_json,
    text_of,
    time_of,
)
from erstwhile.integrations.ways_in.qdrant_points import TABLE, points_in

_LINKED = "linked_memory_ids"
_OWN = frozenset(
    ("data", "hash", "user_id", "created_at", "updated_at", "text_lemmatized", "expiration_date")
)
"""The fields of a payload that are not metadata of the user."""


def read(file: Path) -> Arrivals:
    """Return the memories; of a history, the last text of each that was not deleted.

    A folder is that of the local Qdrant store, with a file for each collection.
    """
    if file.is_dir():
        stores = sorted(file.glob("collection/*/storage.sqlite"))
        return _of_points([each for each in stores if not each.is_symlink()])
    if is_database(file):
        if ForeignDatabase(file).has(TABLE):
            return _of_points([file])
        return Arrivals(facts=tuple(_of_history(file)))
    told = read_json(file)
    memories = list_of(told) or list_of(object_of(told).get("results"))
    return facts_of(enumerate(memories, 1), lambda each: filter(None, [_fact(each)]), "memory")


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


def _of_points(stores: Sequence[Path]) -> Arrivals:
    """Return the memories of a Qdrant store. Points about entities state nothing by themselves."""
    facts, left_out = list[ForeignFact](), list[UnreadablePart]()
    for found in (point for store in stores for point in points_in(store)):
        if isinstance(found, UnreadablePart):
            left_out.append(found)
        elif _LINKED not in found[1]:
            facts += filter(None, [_stored(*found)])
    return Arrivals(facts=tuple(facts), left_out=tuple(left_out))


def _stored(id: str, payload: Mapping[str, Any]) -> ForeignFact | None:
    rest = {name: value for name, value in payload.items() if name not in _OWN}
    told = {**payload, "id": id, "memory": payload.get("data"), "metadata": rest}
    fact = _fact(told)
    return fact and replace(fact, until=time_of(payload.get("expiration_date")))


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
