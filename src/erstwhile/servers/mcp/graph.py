"""A knowledge graph in a memory, and the file format of the reference server `server-memory`.

Each entity, observation and relation is one fact with its item in the metadata, so that recall
finds it. A mark beside an imported file names the memories with its content. The mark is not in the
memory: erased content must not come back from the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import Kind, Origin, State, Trust
from erstwhile.core.text import folded
from erstwhile.integrations.tool_calls import check_arguments

if TYPE_CHECKING:
    from erstwhile.facts.fact import Fact
    from erstwhile.memory import Memory

TAG = "knowledge-graph"
_PLACE, _NUMBER = "graph", "number"
"""Fields of the metadata: the item of a fact, and its position."""
_PAGE = 1_000
ENTITY, OBSERVATION, RELATION = "entity", "observation", "relation"
_TEXT = {"type": "string"}
_SHAPES: dict[str, Any] = {
    "entity": {
        "properties": {
            "name": _TEXT,
            "entityType": _TEXT,
            "observations": {"type": "array", "items": _TEXT},
        },
        "required": ["name", "entityType", "observations"],
    },
    "relation": {
        "properties": {"from": _TEXT, "to": _TEXT, "relationType": _TEXT},
        "required": ["from", "to", "relationType"],
    },
}


class GraphItem(NamedTuple):
    """An entity, an observation or a relation."""

    kind: str
    first: str
    """The name of the entity, or of the one where a relation starts."""
    second: str
    """The type of the entity or of the relation, or the observation."""
    third: str = ""
    """The entity where a relation ends."""

    @property
    def text(self) -> str:
        """The statement of the fact."""
        match self.kind:
            case "entity":
                return f"{self.first} ({self.second})"
            case "observation":
                return f"{self.first}: {self.second}"
        return f"{self.first} {self.second} {self.third}"

    @property
    def details(self) -> dict[str, Any]:
        """The details of the fact."""
        if self.kind != RELATION:
            return {"entities": [self.first]}
        relation = (self.first, self.second, self.third)
        return {"kind": Kind.RELATION, "relations": [relation]}


class KnowledgeGraph:
    """The graph of a memory, as it is now."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def items(self, *, gone: bool = False) -> dict[GraphItem, Fact]:
        """Return all items in their order, with `gone` also ended ones."""
        facts = list(self._facts(state=State.ANY if gone else State.LIVE))
        facts += self._facts(deleted=True) if gone else ()
        facts.sort(key=_number)
        return {GraphItem(*fact.metadata[_PLACE]): fact for fact in facts}

    def add(
        self, wanted: Iterable[GraphItem], origin: Origin, taken: frozenset[str] = frozenset()
    ) -> list[GraphItem]:
        """Store items in one transaction, and return the live ones.

        `taken` has texts of facts outside of the graph, which an agent cannot add to it.
        """
        known, todo = self.items(gone=True), list(dict.fromkeys(wanted))
        number = 1 + max(map(_number, known.values()), default=0)
        texts = _free_texts(todo, known, taken)
        drafts = [
            {
                "text": text,
                "metadata": {_PLACE: list(item), _NUMBER: number + place},
                "tags": [TAG],
                "origin": origin,
                **item.details,
            }
            for place, (item, text) in enumerate(texts.items())
        ]
        stored = zip(todo, self._memory.remember_many(drafts), strict=True)
        live = {item: fact for item, fact in stored if fact.trust is Trust.TRUSTED}
        if missed := [item for item, fact in live.items() if not _is_part(fact, item)]:
            self.add(missed, origin, taken | {folded(texts[item]) for item in missed})
        return list(live)

    def remove(self, items: Iterable[GraphItem], reason: str) -> None:
        """Delete items; a person can restore them."""
        known = self.items()
        for item in items:
            self._memory.facts.delete(known[item].id, reason=reason)

    def _facts(self, **filters: Any) -> Iterator[Fact]:
        cursor = None
        while True:
            page = self._memory.facts.list(tag=TAG, limit=_PAGE, cursor=cursor, **filters)
            yield from (fact for fact in page if _PLACE in fact.metadata)
            if page.next is None:
                return
            cursor = page.next


def _is_part(fact: Fact, item: GraphItem) -> bool:
    return tuple(fact.metadata.get(_PLACE, ())) == item


def _free_texts(
    items: list[GraphItem], known: Mapping[GraphItem, Fact], taken: frozenset[str]
) -> dict[GraphItem, str]:
    """Return a unique text for each item, with a number if another item has it.

    Facts with the same text, in any letter case, are the same. Items are not.
    """
    owners: dict[str, GraphItem | None] = dict.fromkeys(taken)
    owners |= {folded(fact.text): item for item, fact in known.items() if not fact.deleted_at}
    texts = dict[GraphItem, str]()
    for item in items:
        variants = (f"{item.text} ({nth})" if nth > 1 else item.text for nth in count(1))
        texts[item] = next(
            text for text in variants if owners.setdefault(folded(text), item) == item
        )
    return texts


def _number(fact: Fact) -> int:
    return int(fact.metadata.get(_NUMBER, 0))


def entity_items(entity: dict[str, Any]) -> list[GraphItem]:
    """Return the items of an entity."""
    name = entity["name"]
    told = [GraphItem(OBSERVATION, name, each) for each in entity["observations"]]
    return [GraphItem(ENTITY, name, entity["entityType"]), *told]


def relation_item(relation: dict[str, Any]) -> GraphItem:
    """Return the item of a relation."""
    return GraphItem(RELATION, relation["from"], relation["relationType"], relation["to"])


def read_graph_file_once(memory: Memory, file: Path, location: str) -> int | None:
    """Import a file into the memory at a location, or return None if that was done before."""
    marks = file.with_name(f"{file.name}.read")
    mark = sha256(f"{location}\0{memory.scope}".encode()).hexdigest()
    try:
        if marks.exists() and mark in marks.read_text("ascii").split():
            return None
        opened = marks.open("a", encoding="ascii")
    except OSError as error:
        raise InvalidInputError(
            f"{marks}, which says that the file was read, cannot be written: {error.strerror}",
            remedy="move the file to a folder of your own, or leave MEMORY_FILE_PATH out",
        ) from None
    with opened:
        count = read_graph_file(memory, file)
        opened.write(f"{mark}\n")
    return count


def read_graph_file(memory: Memory, file: Path) -> int:
    """Import the items that this memory never had, and return their number.

    Deleted items do not come back.
    """
    graph = KnowledgeGraph(memory)
    known = graph.items(gone=True)
    new = [item for item in dict.fromkeys(_items(file)) if item not in known]
    return len(graph.add(new, Origin.IMPORTED))


def _items(file: Path) -> Iterator[GraphItem]:
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        if line.strip():
            yield from _parsed(line, f"line {number} of {file}")


def _parsed(line: str, place: str) -> Iterator[GraphItem]:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidInputError(f"{place} is not JSON", remedy="correct or remove it") from None
    kind = item.get("type") if isinstance(item, dict) else None
    if kind not in _SHAPES:
        return
    check_arguments(place, _SHAPES[kind], item)
    yield from entity_items(item) if kind == "entity" else [relation_item(item)]
