"""Memory stores: LangGraph, mem0, and the databases of Kernex (`memory.db`), Engram and Rubino.

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

from erstwhile.conversations.conversation import Role
from erstwhile.core.kinds import Kind
from erstwhile.integrations.conversation_import import (
    ImportedConversation,
    ImportedMessage,
    UnreadablePart,
)
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
    FactFields,
    ImportedBlock,
    ImportedFact,
    ImportedRecords,
    facts_of,
)

_TEXTS = ("text", "content", "memory", "data", "value", "fact")
"""The fields in which programs put the text of a memory, the most usual first."""
_CHANGED = ("updated_at", "created_at")
_MEMORY = FactFields(text="memory", user="user_id", metadata="metadata", since=_CHANGED)
_EVENT = FactFields(text="new_memory", id="memory_id", since=_CHANGED)
_POINTS = "points"
_POINT_CLASS = ("qdrant_client.http.models.models", "PointStruct")
_LARGEST_POINT = 10_000_000
"""The length in bytes up to which a point is read."""
_LINKED = "linked_memory_ids"
_OWN = frozenset(
    ("data", "hash", "user_id", "created_at", "updated_at", "text_lemmatized", "expiration_date")
)
"""The fields of a payload that are not metadata of the user."""
_KERNEX_SKIPPED = ("lessons", "observations", "outcomes", "limitations", "scheduled_tasks")
"""Tables with records that are not imported; the report says so."""
_ENGRAM = FactFields(
    text="content",
    kind="memory_type",
    kinds={"preference": Kind.PREFERENCE, "decision": Kind.DECISION},
    tags="tags",
    metadata="metadata",
    since=("valid_from", "created_at"),
    until=("valid_to", "expires_at"),
)
_ENGRAM_SKIPPED = frozenset(("credential", "transcript_chunk"))
"""Types of records that are no statements, or must not be copied."""
_RUBINO = FactFields(
    text="text",
    kind="kind",
    kinds={
        "user_profile": Kind.PROFILE,
        "preference": Kind.PREFERENCE,
        "project": Kind.PROJECT,
        "env": Kind.ENVIRONMENT,
    },
    entities="entities_json",
    since=("valid_from", "created_at"),
    until=("valid_to",),
)


def read_langgraph(file: Path) -> ImportedRecords:
    """Return a fact for each item."""
    items: Iterable[Any]
    if is_database(file):
        rows = ProgramDatabase(file).rows("store", "prefix", "key", "value")
        items = ({**row, "namespace": str(row["prefix"]).split(".")} for row in rows)
    else:
        items = list_of(read_json(file))
    return facts_of(enumerate(map(object_of, items), 1), _item_fact, "item")


def _item_fact(item: Mapping[str, Any]) -> Iterator[ImportedFact]:
    namespace = [str(part) for part in list_of(item.get("namespace"))]
    key, value = str(item.get("key") or ""), object_of(item.get("value"))
    text = next(filter(None, (text_of(value.get(name)) for name in _TEXTS)), "")
    text = text or "; ".join(_fields_in_words(value, ()))
    if not text:
        return
    label = "/".join(namespace)
    yield ImportedFact(
        id="/".join([*namespace, key]),
        text=text,
        tags=[label] if 0 < len(label) <= 100 and label.isprintable() else [],
        since=first_time(item, *_CHANGED),
    )


def _fields_in_words(value: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Yield "name: value" for each plain field, also of inner objects."""
    for name, each in value.items():
        place = (*path, str(name))
        if isinstance(each, dict):
            yield from _fields_in_words(each, place)
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
    content = read_json(file)
    memories = list_of(content) or list_of(object_of(content).get("results"))
    return facts_of(enumerate(map(object_of, memories), 1), _MEMORY.read, "memory")


def _from_points(stores: Sequence[Path]) -> ImportedRecords:
    """Return the memories of a Qdrant store. Points about entities state nothing by themselves."""
    facts, left_out = list[ImportedFact](), list[UnreadablePart]()
    for found in (point for store in stores for point in _points(store)):
        if isinstance(found, UnreadablePart):
            left_out.append(found)
        elif _LINKED not in found[1]:
            facts += _point_fact(*found)
    return ImportedRecords(facts=tuple(facts), left_out=tuple(left_out))


def _point_fact(id: str, payload: Mapping[str, Any]) -> Iterator[ImportedFact]:
    rest = {name: value for name, value in payload.items() if name not in _OWN}
    for fact in _MEMORY.read(
        {**payload, "id": id, "memory": payload.get("data"), "metadata": rest}
    ):
        yield replace(fact, until=time_of(payload.get("expiration_date")))


def _from_history(file: Path) -> Iterator[ImportedFact]:
    """Yield what is left after all events. The history does not say whose memories they are."""
    last: dict[str, Mapping[str, Any]] = {}
    for event in ProgramDatabase(file).rows("history", "memory_id", "new_memory", "event"):
        last[str(event["memory_id"])] = event
    for event in last.values():
        if not event.get("is_deleted"):
            yield from _EVENT.read(event)


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


def read_kernex(file: Path) -> ImportedRecords:
    """Return the facts that were not deleted, and all conversations."""
    database = ProgramDatabase(file)
    return ImportedRecords(
        facts=tuple(_kernex_facts(database)),
        conversations=tuple(
            _conversations(database, "kernex", within="conversation_id", at="timestamp")
        ),
        left_out=tuple(_kernex_skipped(database)),
    )


def _kernex_facts(database: ProgramDatabase) -> Iterator[ImportedFact]:
    for row in database.rows("facts", "id", "sender_id", "key", "value"):
        key, value = text_of(row["key"]), text_of(row["value"])
        if key and value and row.get("deleted_at") is None:
            yield ImportedFact(
                id=str(row["id"]),
                text=f"{key.replace('_', ' ')}: {value}",
                user=text_of(row["sender_id"]) or None,
                kind=Kind.PROFILE,
                metadata={"key": key},
                since=first_time(row, "updated_at", "created_at"),
            )


def _kernex_skipped(database: ProgramDatabase) -> Iterator[UnreadablePart]:
    for table in _KERNEX_SKIPPED:
        if count := sum(1 for _ in database.rows(table)):
            reason = f"its {count} records have no place in this import"
            yield UnreadablePart(place=f"table {table}", reason=reason)


def read_engram(file: Path) -> ImportedRecords:
    """Return the memories, and the present versions of the blocks."""
    database = ProgramDatabase(file)
    memories = database.rows("memories", "id", "content")
    blocks = database.rows("memory_blocks", "name", "content")
    return ImportedRecords(
        facts=tuple(
            fact
            for row in memories
            if text_of(row.get("memory_type")) not in _ENGRAM_SKIPPED
            for fact in _ENGRAM.read({**row, "tags": [row.get("memory_type")]})
        ),
        blocks=tuple(
            ImportedBlock(name=text_of(row["name"]), content=row["content"])
            for row in blocks
            if text_of(row["name"]) and text_of(row["content"])
        ),
    )


def read_rubino(file: Path) -> ImportedRecords:
    """Return the facts, ended ones too, and what people and models said in the sessions."""
    database = ProgramDatabase(file)
    rows = database.rows("memory_facts", "id", "text", "kind")
    return ImportedRecords(
        facts=tuple(fact for row in rows for fact in _RUBINO.read(row)),
        conversations=tuple(
            _conversations(database, "rubino", within="session_id", at="created_at")
        ),
    )


def _conversations(
    database: ProgramDatabase, program: str, *, within: str, at: str
) -> Iterator[ImportedConversation]:
    """Yield the messages of users and models; `within` and `at` are columns of `messages`."""
    conversations: dict[str, list[ImportedMessage]] = {}
    for row in database.rows("messages", "id", within, "role", "content"):
        if text_of(row["content"]) and row["role"] in (Role.USER, Role.ASSISTANT):
            message = ImportedMessage(
                id=str(row["id"]),
                role=Role(row["role"]),
                content=row["content"],
                at=time_of(row.get(at)),
            )
            conversations.setdefault(str(row[within]), []).append(message)
    for id, messages in conversations.items():
        yield ImportedConversation(name=f"{program}:{id}", messages=tuple(messages))
