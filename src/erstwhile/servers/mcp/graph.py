"""Compatibility with the reference server `server-memory`: its nine tools and its file format.

`graph_tools.json` has the names, arguments and answers of the tools. Each entity, observation and
relation is one fact with its item in the metadata, so that recall finds it. A mark beside an
imported file names the memories with its content. The mark is not in the memory: erased content
must not come back from the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.kinds import Kind, Origin, State, Trust
from erstwhile.core.results import all_items
from erstwhile.core.text import folded
from erstwhile.servers.mcp.surface import ResourceText, Surface, read_json
from erstwhile.tools.tool import Arguments, Tool, ToolAnswer, check_arguments

if TYPE_CHECKING:
    from erstwhile.facts.fact import Fact
    from erstwhile.memory import Memory

TAG = "knowledge-graph"
URI = "memory://knowledge-graph"
_RESOURCE = {
    "uri": URI,
    "name": "knowledge-graph",
    "title": "Knowledge Graph",
    "description": "The full knowledge graph with all entities and relations",
    "mimeType": "application/json",
}
_ITEM, _NUMBER = "graph", "number"
"""Fields of the metadata: the item of a fact, and its position."""
_ENTITY, _OBSERVATION, _RELATION = "entity", "observation", "relation"


def graph_surface() -> Surface:
    """Return the surface of `server-memory`."""

    def tool(definition: Mapping[str, Any]) -> Tool:
        method = getattr(KnowledgeGraph, definition["name"])
        return Tool(
            definition=definition, run=lambda memory, given: method(KnowledgeGraph(memory), given)
        )

    return Surface(
        tools=[tool(each) for each in read_json("graph_tools.json")],
        list_resources=lambda _memory: [_RESOURCE],
        read_resource=_read_resource,
        explain=lambda _memory, error: str(error),
    )


def _read_resource(memory: Memory, uri: str) -> ResourceText:
    if uri != URI:
        raise NotFoundError(f"no resource {uri!r} is visible here", remedy=f"read {URI}")
    graph = _graph_json(KnowledgeGraph(memory).items())
    return ResourceText(_RESOURCE["mimeType"], _pretty(graph))


class GraphItem(NamedTuple):
    """An entity, an observation or a relation."""

    kind: str
    first: str
    """The name of the entity, or of the one where a relation starts."""
    second: str
    """The type of the entity or of the relation, or the observation."""
    third: str = ""
    """The entity where a relation ends."""

    def draft(self, text: str, number: int, origin: Origin) -> dict[str, Any]:
        """Return the draft of the fact of this item."""
        details: dict[str, Any] = {"entities": [self.first]}
        if self.kind == _RELATION:
            details = {"kind": Kind.RELATION, "relations": [self[1:]]}
        metadata = {_ITEM: list(self), _NUMBER: number}
        return {"text": text, "metadata": metadata, "tags": [TAG], "origin": origin, **details}

    def texts(self) -> Iterator[str]:
        """Yield the statement of this item, then the same with a number."""
        match self.kind:
            case "entity":
                text = f"{self.first} ({self.second})"
            case "observation":
                text = f"{self.first}: {self.second}"
            case _:
                text = f"{self.first} {self.second} {self.third}"
        yield text
        yield from (f"{text} ({nth})" for nth in count(2))


class KnowledgeGraph:
    """The graph of a memory, as it is now. Methods with the argument `given` are tools."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def create_entities(self, given: Arguments) -> ToolAnswer:
        known = _entity_names(self.items())
        new = {each["name"]: each for each in reversed(given["entities"])}
        entities = [entity for name, entity in reversed(new.items()) if name not in known]
        items = [item for entity in entities for item in _entity_items(entity)]
        added = _graph_json(self.add(items, Origin.AGENT))["entities"]
        return ToolAnswer({"entities": added}, text=_pretty(added))

    def create_relations(self, given: Arguments) -> ToolAnswer:
        known = self.items()
        new = [item for item in map(_relation_item, given["relations"]) if item not in known]
        added = _graph_json(self.add(new, Origin.AGENT))["relations"]
        return ToolAnswer({"relations": added}, text=_pretty(added))

    def add_observations(self, given: Arguments) -> ToolAnswer:
        known = self.items()
        names = _entity_names(known)
        wanted = [(each["entityName"], each["contents"]) for each in given["observations"]]
        for name, _ in wanted:
            if name not in names:
                raise NotFoundError(f"Entity with name {name} not found")
        items = [GraphItem(_OBSERVATION, name, text) for name, texts in wanted for text in texts]
        new = self.add([item for item in items if item not in known], Origin.AGENT)
        added = {(item.first, item.second) for item in new}
        results = [
            {
                "entityName": name,
                "addedObservations": [t for t in dict.fromkeys(texts) if (name, t) in added],
            }
            for name, texts in wanted
        ]
        return ToolAnswer({"results": results}, text=_pretty(results))

    def delete_entities(self, given: Arguments) -> ToolAnswer:
        names = set(given["entityNames"])

        def is_deleted(item: GraphItem) -> bool:
            return item.first in names or (item.kind == _RELATION and item.third in names)

        return self._delete(is_deleted, "Entities deleted successfully")

    def delete_observations(self, given: Arguments) -> ToolAnswer:
        gone = {
            GraphItem(_OBSERVATION, each["entityName"], text)
            for each in given["deletions"]
            for text in each["observations"]
        }
        return self._delete(gone.__contains__, "Observations deleted successfully")

    def delete_relations(self, given: Arguments) -> ToolAnswer:
        gone = set(map(_relation_item, given["relations"]))
        return self._delete(gone.__contains__, "Relations deleted successfully")

    def read_graph(self, _given: Arguments) -> ToolAnswer:
        return _graph_answer(self.items())

    def search_nodes(self, given: Arguments) -> ToolAnswer:
        query, items = given["query"].lower(), self.items()
        texts = (item for item in items if item.kind != _RELATION)
        found = {each.first for each in texts if any(query in part.lower() for part in each[1:3])}
        return _graph_answer(items, found)

    def open_nodes(self, given: Arguments) -> ToolAnswer:
        return _graph_answer(self.items(), set(given["names"]))

    def items(self, *, gone: bool = False) -> dict[GraphItem, Fact]:
        """Return all items in their order, with `gone` also ended ones."""
        facts = list(self._facts(state=State.ANY if gone else State.LIVE))
        facts += self._facts(deleted=True) if gone else ()
        facts.sort(key=_number)
        return {GraphItem(*fact.metadata[_ITEM]): fact for fact in facts}

    def add(
        self, wanted: Iterable[GraphItem], origin: Origin, taken: frozenset[str] = frozenset()
    ) -> list[GraphItem]:
        """Store items in one transaction, and return the live ones.

        `taken` has texts of facts outside of the graph, which an agent cannot add to it.
        """
        known, todo = self.items(gone=True), list(dict.fromkeys(wanted))
        number = 1 + max(map(_number, known.values()), default=0)
        texts = _free_texts(todo, known, taken)
        drafts = [item.draft(texts[item], n, origin) for n, item in enumerate(todo, number)]
        stored = zip(todo, self._memory.remember_many(drafts), strict=True)
        live = {item: fact for item, fact in stored if fact.trust is Trust.TRUSTED}
        missed = [i for i, fact in live.items() if tuple(fact.metadata.get(_ITEM, ())) != i]
        if missed:
            self.add(missed, origin, taken | {folded(texts[item]) for item in missed})
        return list(live)

    def _delete(self, is_deleted: Callable[[GraphItem], bool], message: str) -> ToolAnswer:
        """Delete items; a person can restore them."""
        for item, fact in self.items().items():
            if is_deleted(item):
                self._memory.facts.delete(fact.id, reason="deleted by an agent")
        return ToolAnswer({"success": True, "message": message}, text=message)

    def _facts(self, **filters: Any) -> Iterator[Fact]:
        facts = all_items(self._memory.facts.list, tag=TAG, **filters)
        return (fact for fact in facts if _ITEM in fact.metadata)


def _free_texts(
    items: list[GraphItem], known: Mapping[GraphItem, Fact], taken: frozenset[str]
) -> dict[GraphItem, str]:
    """Return a unique text for each item, with a number if another item has it.

    Facts with the same text, in any letter case, are the same. Items are not.
    """
    owners: dict[str, GraphItem | None] = dict.fromkeys(taken)
    owners |= {folded(fact.text): item for item, fact in known.items() if not fact.deleted_at}
    return {
        item: next(t for t in item.texts() if owners.setdefault(folded(t), item) == item)
        for item in items
    }


def _entity_names(items: Iterable[GraphItem]) -> set[str]:
    return {item.first for item in items if item.kind == _ENTITY}


def _number(fact: Fact) -> int:
    return int(fact.metadata.get(_NUMBER, 0))


def _entity_items(entity: dict[str, Any]) -> list[GraphItem]:
    name = entity["name"]
    observations = [GraphItem(_OBSERVATION, name, each) for each in entity["observations"]]
    return [GraphItem(_ENTITY, name, entity["entityType"]), *observations]


def _relation_item(relation: dict[str, Any]) -> GraphItem:
    return GraphItem(_RELATION, relation["from"], relation["relationType"], relation["to"])


def _graph_json(items: Iterable[GraphItem], names: set[str] | None = None) -> dict[str, Any]:
    """Return a graph as JSON: all of it, or some entities with their relations."""
    entities, relations = dict[str, dict[str, Any]](), list[dict[str, Any]]()
    for kind, first, second, third in items:
        if names is not None and not {first, third} & names:
            continue
        if kind == _ENTITY:
            entities[first] = {"name": first, "entityType": second, "observations": []}
        elif kind == _RELATION:
            relations.append({"from": first, "to": third, "relationType": second})
        elif first in entities:
            entities[first]["observations"].append(second)
    return {"entities": list(entities.values()), "relations": relations}


def _graph_answer(items: Iterable[GraphItem], names: set[str] | None = None) -> ToolAnswer:
    graph = _graph_json(items, names)
    return ToolAnswer(graph, text=_pretty(graph))


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


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
    lines = enumerate(file.read_text("utf-8").splitlines(), 1)
    items = [
        item for n, line in lines if line.strip() for item in _parse(line, f"line {n} of {file}")
    ]
    return len(graph.add([item for item in items if item not in known], Origin.IMPORTED))


@cache
def _line_schemas() -> Mapping[Any, Any]:
    """Return the JSON schemas of the lines of a file: those of the tools that create the items."""
    tools = read_json("graph_tools.json")
    given = {tool["name"]: tool["inputSchema"]["properties"] for tool in tools}
    return {
        _ENTITY: given["create_entities"]["entities"]["items"],
        _RELATION: given["create_relations"]["relations"]["items"],
    }


def _parse(line: str, place: str) -> list[GraphItem]:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidInputError(f"{place} is not JSON", remedy="correct or remove it") from None
    kind = item.get("type") if isinstance(item, dict) else None
    schema = _line_schemas().get(kind)
    if schema is None:
        return []
    check_arguments(place, schema, item)
    return _entity_items(item) if kind == _ENTITY else [_relation_item(item)]
