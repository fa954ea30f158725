"""Memory stores: LangGraph and mem0.

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
from itertools import zip_longest
from pathlib import Path
from typing import Any

from erstwhile.core.errors import InvalidInputError, ScopeError
from erstwhile.core.kinds import Kind
from erstwhile.core.scope import DIMENSIONS
from erstwhile.integrations.importers.files import (
    ProgramDatabase,
    first_time,
    is_database,
    list_of,
    object_of,
    read_json,
    text_of,
)
from erstwhile.integrations.importers.records import (
    FactFields,
    ImportedFact,
    ImportedRecords,
    Owner,
    facts_of,
    id_of,
    owner_of,
)
from erstwhile.operations.results import Refusal

_TEXTS = ("text", "content", "memory", "data", "value", "fact")
"""The fields in which programs put the text of a memory, the most usual first."""
_CHANGED = ("updated_at", "created_at")
_MEMORY = FactFields(
    text="memory",
    tags="categories",
    metadata="metadata",
    since=_CHANGED,
    until=("expiration_date",),
)
_WHO = {"user": "user_id", "agent": "agent_id", "session": "run_id"}
_EVENT = FactFields(text="new_memory", id="memory_id", since=_CHANGED)
_POINTS = "points"
_POINT_CLASS = ("qdrant_client.http.models.models", "PointStruct")
_MAX_POINT = 10_000_000
"""The length in bytes up to which a point is read."""
_LINKED = "linked_memory_ids"
_OWN = frozenset(
    (
        "data",
        "hash",
        "created_at",
        "updated_at",
        "text_lemmatized",
        "expiration_date",
        *_WHO.values(),
    )
)
"""The fields of a payload that are not metadata of the user."""


def read_langgraph(file: Path, namespace: str | None = None) -> ImportedRecords:
    """Return a fact for each item; `namespace` says which part of a namespace names whom.

    With "memories/{user}", the second part is the user. "*" matches any part, and parts behind
    the last one named do not matter. Programs build namespaces as they like, so that several of
    them do not come without it.
    """
    items: Iterable[Any]
    if is_database(file):
        rows = ProgramDatabase(file).rows("store", "prefix", "key", "value")
        items = ({**row, "namespace": str(row["prefix"]).split(".")} for row in rows)
    else:
        items = list_of(read_json(file))
    numbered = enumerate(map(object_of, items), 1)
    listed = [(number, item, _namespace(item)) for number, item in numbered]
    if namespace is None and len(found := {"/".join(each) for _, _, each in listed if each}) > 1:
        raise ScopeError(
            f"the items have {len(found)} namespaces, such as {min(found)}, which may be those of "
            "several people",
            remedy='say which part is the user: --namespace "memories/{user}", or --namespace "*" '
            "if all belong to one",
        )
    parts = _checked_parts("*" if namespace is None else namespace)
    placed = [(number, (item, _owner_in(parts, each))) for number, item, each in listed]
    mine = ((number, (item, owner)) for number, (item, owner) in placed if owner is not None)
    facts = facts_of(mine, lambda each: _item_fact(*each), "item")
    others = sum(owner is None for _, (_, owner) in placed)
    rest = Refusal(place="items", reason=f"it is not in {namespace}", count=others)
    return replace(facts, left_out=(*facts.left_out, *([rest] if others else [])))


def _checked_parts(namespace: str) -> list[str]:
    """Return the parts of a pattern; raise InvalidInputError for an invalid part."""
    parts = namespace.split("/")
    if not all(map(str.strip, parts)):
        raise InvalidInputError(
            f"a part of the namespace {namespace!r} is blank", remedy='write "memories/{user}"'
        )
    for name in (part[1:-1] for part in parts if part[:1] + part[-1:] == "{}"):
        if name not in DIMENSIONS:
            raise InvalidInputError(
                f"a namespace cannot name {name!r}", remedy=f"use one of {', '.join(DIMENSIONS)}"
            )
    return parts


def _namespace(item: Mapping[str, Any]) -> list[str]:
    return [str(part) for part in list_of(item.get("namespace"))]


def _owner_in(parts: Sequence[str], namespace: Sequence[str]) -> Owner | None:
    """Return the owner of a namespace; None if it does not match the parts."""
    found = dict[str, str]()
    for part, name in zip_longest(parts, namespace[: len(parts)], fillvalue=""):
        if part[:1] == "{":
            found[part[1:-1]] = name.strip()
        elif part not in ("*", name):
            return None
    return found if all(found.values()) else None


def _item_fact(item: Mapping[str, Any], owner: Owner) -> Iterator[ImportedFact]:
    key, value = str(item.get("key") or ""), object_of(item.get("value"))
    text = next(filter(None, (text_of(value.get(name)) for name in _TEXTS)), "")
    text = text or "; ".join(_fields_in_words(value, ()))
    if not text:
        return
    namespace = _namespace(item)
    label = "/".join(namespace)
    yield ImportedFact(
        id="/".join([*namespace, key]),
        text=text,
        owner=owner,
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
    found = facts_of(enumerate(map(object_of, memories), 1), _memory_fact, "memory")
    return _with_relations(found, list_of(object_of(content).get("relations")))


def _memory_fact(record: Mapping[str, Any]) -> Iterator[ImportedFact]:
    """Yield a memory. It belongs to its user, else to its agent, else to its run."""
    who = owner_of(record, **_WHO)
    rest = {_WHO[each]: value for each, value in [*who.items()][1:]}
    for fact in _MEMORY.read(record):
        yield replace(fact, owner=dict([*who.items()][:1]), metadata={**fact.metadata, **rest})


def _with_relations(found: ImportedRecords, relations: list[Any]) -> ImportedRecords:
    """Add the relations of the graph, which do not say whose they are, if there is one owner."""
    owners = {tuple(fact.owner.items()) for fact in found.facts}
    links = [
        (text_of(each.get("source")), text_of(each.get("relationship")), text_of(target))
        for each in map(object_of, relations)
        for target in [each.get("target") or each.get("destination")]
    ]
    whole = [link for link in links if all(link)] if len(owners) == 1 else []
    reason = "it is not said whose they are" if len(owners) > 1 else "they state nothing"
    rest = Refusal(place="relations", reason=reason, count=len(links) - len(whole))
    return replace(
        found,
        facts=(*found.facts, *(_relation_fact(link, dict(*owners)) for link in whole)),
        left_out=(*found.left_out, *([rest] if rest.count else [])),
    )


def _relation_fact(link: tuple[str, str, str], owner: Owner) -> ImportedFact:
    return ImportedFact(
        id=id_of(*link),
        text=" ".join(link).replace("_", " "),
        owner=owner,
        kind=Kind.RELATION,
        relations=[link],
    )


def _from_points(stores: Sequence[Path]) -> ImportedRecords:
    """Return the memories of a Qdrant store. Points about entities state nothing by themselves."""
    facts, left_out = list[ImportedFact](), list[Refusal]()
    for found in (point for store in stores for point in _points(store)):
        if isinstance(found, Refusal):
            left_out.append(found)
        elif _LINKED not in found[1]:
            facts += _point_fact(*found)
    return ImportedRecords(facts=tuple(facts), left_out=tuple(left_out))


def _point_fact(id: str, payload: Mapping[str, Any]) -> Iterator[ImportedFact]:
    rest = {name: value for name, value in payload.items() if name not in _OWN}
    yield from _memory_fact({**payload, "id": id, "memory": payload.get("data"), "metadata": rest})


def _from_history(file: Path) -> Iterator[ImportedFact]:
    """Yield the memories after all events. The history does not name their owners."""
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


def _points(file: Path) -> Iterator[tuple[str, Mapping[str, Any]] | Refusal]:
    """Yield the id and the payload of each point, or a part that cannot be read safely."""
    for number, row in enumerate(ProgramDatabase(file).rows(_POINTS, "id", "point"), 1):
        try:
            fields = _unpickle(row["point"])
        except Exception as error:  # a wrong pickle can raise anything
            yield Refusal(place=f"point {number}", reason=f"it is not read: {error}"[:200])
            continue
        payload = fields.get("payload")
        if isinstance(payload, dict):
            yield str(fields.get("id")), payload


def _unpickle(stored: Any) -> Mapping[str, Any]:
    if not isinstance(stored, bytes) or len(stored) > _MAX_POINT:
        raise pickle.UnpicklingError("it is not a point")
    point = _PointReader(io.BytesIO(stored)).load()
    if not isinstance(point, _Point):
        raise pickle.UnpicklingError("it is not a point")
    return point.fields
