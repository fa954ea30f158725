"""Memory stores: items of LangGraph, and memories of mem0.

An item of LangGraph has a namespace, a key and a JSON value; it comes as JSON, or in the SQLite
file of `SqliteStore`. Programs put memories into it in their own way: the text is in a field with a
usual name, or the fields together state something.

Memories of mem0 come as the JSON of `get_all`, in its local Qdrant store, or in its SQLite history.
The Qdrant store keeps points as pickles in SQLite rows. Unpickling may run any code that a file
names, so the unpickler here knows one class, the point, and makes a plain object of it. A pickle
that names anything else is refused.
"""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from erstwhile.integrations.conversation_import import UnreadablePart
from erstwhile.integrations.importers.files import (
    ProgramDatabase,
    first_time,
    is_database,
    list_of,
    object_of,
    read_json,
    text_of,
    time_of,
)
from erstwhile.integrations.importers.records import (
    ImportedFact,
    ImportedRecords,
    facts_of,
    id_of,
)

_TEXTS = ("text", "content", "memory", "data", "value", "fact")
"""The fields in which programs put the text of a memory, the most usual first."""
_POINTS = "points"
_POINT_CLASS = ("qdrant_client.http.models.models", "PointStruct")
_LARGEST_POINT = 10_000_000
"""The length in bytes up to which a point is read."""
_LINKED = "linked_memory_ids"
_OWN = frozenset(
    ("data", "hash", "user_id", "created_at", "updated_at", "text_lemmatized", "expiration_date")
)
"""The fields of a payload that are not metadata of the user."""


def read_langgraph(file: Path) -> ImportedRecords:
    """Return a fact for each item."""
    items: Iterable[Any] = _store_rows(file) if is_database(file) else list_of(read_json(file))
    return facts_of(enumerate(items, 1), lambda item: _item_fact(object_of(item)), "item")


def _store_rows(file: Path) -> Iterator[dict[str, Any]]:
    for row in ProgramDatabase(file).rows("store", "prefix", "key", "value"):
        yield {**row, "namespace": str(row["prefix"]).split(".")}


def _item_fact(item: Mapping[str, Any]) -> Iterator[ImportedFact]:
    namespace = [str(part) for part in list_of(item.get("namespace"))]
    key, text = str(item.get("key") or ""), _item_text(object_of(item.get("value")))
    if not text:
        return
    yield ImportedFact(
        id="/".join([*namespace, key]),
        text=text,
        tags=_namespace_tags(namespace),
        since=first_time(item, "updated_at", "created_at"),
    )


def _namespace_tags(namespace: Sequence[str]) -> list[str]:
    """Return the namespace as one label, if it can be one."""
    label = "/".join(namespace)
    return [label] if 0 < len(label) <= 100 and label.isprintable() else []


def _item_text(value: Mapping[str, Any]) -> str:
    for name in _TEXTS:
        if text := text_of(value.get(name)):
            return text
    return "; ".join(_plain_fields(value, ()))


def _plain_fields(value: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Yield "name: value" for each plain field, also of inner objects."""
    for name, each in value.items():
        place = (*path, str(name))
        if isinstance(each, dict):
            yield from _plain_fields(each, place)
        elif isinstance(each, str | int | float) and not isinstance(each, bool) and str(each):
            yield f"{' '.join(place)}: {each}"
        elif isinstance(each, list) and each:
            yield f"{' '.join(place)}: {json.dumps(each, ensure_ascii=False)}"


def read_mem0(file: Path) -> ImportedRecords:
    """Return the memories; of a history, the last text of each that was not deleted.

    A folder is that of the local Qdrant store, with a file for each collection.
    """
    if file.is_dir():
        stores = sorted(file.glob("collection/*/storage.sqlite"))
        return _from_points([each for each in stores if not each.is_symlink()])
    if is_database(file):
        if ProgramDatabase(file).has(_POINTS):
            return _from_points([file])
        return ImportedRecords(facts=tuple(_from_history(file)))
    told = read_json(file)
    memories = list_of(told) or list_of(object_of(told).get("results"))
    return facts_of(
        enumerate(memories, 1), lambda each: filter(None, [_memory_fact(each)]), "memory"
    )


def _memory_fact(told: Any) -> ImportedFact | None:
    memory = object_of(told)
    text = text_of(memory.get("memory"))
    if not text:
        return None
    return ImportedFact(
        id=text_of(memory.get("id")) or id_of(text),
        text=text,
        user=text_of(memory.get("user_id")) or None,
        metadata=dict(object_of(memory.get("metadata"))),
        since=first_time(memory, "updated_at", "created_at"),
    )


def _from_points(stores: Sequence[Path]) -> ImportedRecords:
    """Return the memories of a Qdrant store. Points about entities state nothing by themselves."""
    facts, left_out = list[ImportedFact](), list[UnreadablePart]()
    for found in (point for store in stores for point in _points(store)):
        if isinstance(found, UnreadablePart):
            left_out.append(found)
        elif _LINKED not in found[1]:
            facts += filter(None, [_point_fact(*found)])
    return ImportedRecords(facts=tuple(facts), left_out=tuple(left_out))


def _point_fact(id: str, payload: Mapping[str, Any]) -> ImportedFact | None:
    rest = {name: value for name, value in payload.items() if name not in _OWN}
    told = {**payload, "id": id, "memory": payload.get("data"), "metadata": rest}
    fact = _memory_fact(told)
    return fact and replace(fact, until=time_of(payload.get("expiration_date")))


def _from_history(file: Path) -> Iterator[ImportedFact]:
    """Yield what is left after all events. The history does not say whose memories they are."""
    last: dict[str, Mapping[str, Any]] = {}
    for event in ProgramDatabase(file).rows("history", "memory_id", "new_memory", "event"):
        last[str(event["memory_id"])] = event
    for id, event in last.items():
        text = text_of(event["new_memory"])
        if text and not event.get("is_deleted"):
            since = first_time(event, "updated_at", "created_at")
            yield ImportedFact(id=id, text=text, since=since)


class _Point:
    """A point as it was stored: its fields, without any code of its own."""

    fields: Mapping[str, Any] = {}

    def __setstate__(self, state: Any) -> None:
        fields = state.get("__dict__") if isinstance(state, dict) else None
        self.fields = fields if isinstance(fields, dict) else {}


class _PointReader(pickle.Unpickler):
    """Reads a pickle of plain values and points."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == _POINT_CLASS:
            return _Point
        raise pickle.UnpicklingError(f"it names {module}.{name}"[:100])


def _points(file: Path) -> Iterator[tuple[str, Mapping[str, Any]] | UnreadablePart]:
    """Yield the id and the payload of each point, or a part that cannot be read safely."""
    for number, row in enumerate(ProgramDatabase(file).rows(_POINTS, "id", "point"), 1):
        try:
            fields = _unpickle(row["point"])
        except Exception as error:  # a wrong pickle can raise anything
            yield UnreadablePart(place=f"point {number}", reason=f"it is not read: {error}"[:200])
            continue
        payload = fields.get("payload")
        if isinstance(payload, dict):
            yield str(fields.get("id")), payload


def _unpickle(stored: Any) -> Mapping[str, Any]:
    if not isinstance(stored, bytes) or len(stored) > _LARGEST_POINT:
        raise pickle.UnpicklingError("it is no point")
    point = _PointReader(io.BytesIO(stored)).load()
    if not isinstance(point, _Point):
        raise pickle.UnpicklingError("it is no point")
    return point.fields
