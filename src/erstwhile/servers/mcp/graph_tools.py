"""The nine tools of the reference server `server-memory`, on a graph in a memory.

`graph_tools.json` has their names, arguments and answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from erstwhile.core.errors import NotFoundError
from erstwhile.core.kinds import Origin
from erstwhile.servers.mcp.graph import (
    ENTITY,
    OBSERVATION,
    RELATION,
    GraphItem,
    KnowledgeGraph,
    entity_items,
    relation_item,
)
from erstwhile.servers.mcp.surface import (
    Arguments,
    ResourceText,
    Surface,
    Tool,
    ToolAnswer,
    read_json,
)

if TYPE_CHECKING:
    from erstwhile.memory import Memory

URI = "memory://knowledge-graph"
_RESOURCE = {
    "uri": URI,
    "name": "knowledge-graph",
    "title": "Knowledge Graph",
    "description": "The full knowledge graph with all entities and relations",
    "mimeType": "application/json",
}
_Json = dict[str, Any]


def graph_surface() -> Surface:
    """Return the surface of `server-memory`."""
    tools = read_json("graph_tools.json")
    return Surface(
        tools=[Tool(definition=each, run=_RUN[each["name"]]) for each in tools],
        resources=GraphResources(),
        explain=lambda _memory, error: str(error),
    )


class GraphResources:
    """The one resource: the whole graph."""

    templates = ()

    def listed(self, _memory: Memory) -> list[Mapping[str, Any]]:
        """Return the graph."""
        return [_RESOURCE]

    def read(self, memory: Memory, uri: str) -> ResourceText:
        """Return the graph as JSON."""
        if uri != URI:
            raise NotFoundError(f"no resource {uri!r} is visible here", remedy=f"read {URI}")
        return ResourceText(_RESOURCE["mimeType"], _pretty(_graph(KnowledgeGraph(memory).items())))


def _create_entities(memory: Memory, given: Arguments) -> ToolAnswer:
    graph = KnowledgeGraph(memory)
    known = {item.first for item in graph.items() if item.kind == ENTITY}
    new = {each["name"]: each for each in reversed(given["entities"]) if each["name"] not in known}
    items = [item for entity in reversed(new.values()) for item in entity_items(entity)]
    return _listed("entities", _graph(graph.add(items, Origin.AGENT))["entities"])


def _create_relations(memory: Memory, given: Arguments) -> ToolAnswer:
    graph = KnowledgeGraph(memory)
    known = graph.items()
    new = [item for item in map(relation_item, given["relations"]) if item not in known]
    return _listed("relations", _graph(graph.add(new, Origin.AGENT))["relations"])


def _add_observations(memory: Memory, given: Arguments) -> ToolAnswer:
    graph = KnowledgeGraph(memory)
    known = graph.items()
    names = {item.first for item in known if item.kind == ENTITY}
    wanted = [(each["entityName"], each["contents"]) for each in given["observations"]]
    for name, _ in wanted:
        if name not in names:
            raise NotFoundError(f"Entity with name {name} not found")
    new = [GraphItem(OBSERVATION, name, each) for name, told in wanted for each in told]
    added = set(graph.add([item for item in new if item not in known], Origin.AGENT))
    results = [
        {
            "entityName": name,
            "addedObservations": [
                each for each in dict.fromkeys(told) if GraphItem(OBSERVATION, name, each) in added
            ],
        }
        for name, told in wanted
    ]
    return _listed("results", results)


def _delete_entities(memory: Memory, given: Arguments) -> ToolAnswer:
    names = set(given["entityNames"])

    def goes(item: GraphItem) -> bool:
        return item.first in names or (item.kind == RELATION and item.third in names)

    return _removed(memory, goes, "Entities deleted successfully")


def _delete_observations(memory: Memory, given: Arguments) -> ToolAnswer:
    gone = {
        GraphItem(OBSERVATION, each["entityName"], told)
        for each in given["deletions"]
        for told in each["observations"]
    }
    return _removed(memory, gone.__contains__, "Observations deleted successfully")


def _delete_relations(memory: Memory, given: Arguments) -> ToolAnswer:
    gone = set(map(relation_item, given["relations"]))
    return _removed(memory, gone.__contains__, "Relations deleted successfully")


def _read_graph(memory: Memory, _given: Arguments) -> ToolAnswer:
    return _shown(_graph(KnowledgeGraph(memory).items()))


def _search_nodes(memory: Memory, given: Arguments) -> ToolAnswer:
    query, items = given["query"].lower(), KnowledgeGraph(memory).items()
    told = (item for item in items if item.kind != RELATION)
    found = {each.first for each in told if any(query in part.lower() for part in each[1:3])}
    return _shown(_graph(items, found))


def _open_nodes(memory: Memory, given: Arguments) -> ToolAnswer:
    return _shown(_graph(KnowledgeGraph(memory).items(), set(given["names"])))


def _graph(items: Iterable[GraphItem], names: set[str] | None = None) -> _Json:
    """Return a graph as JSON: all of it, or some entities with their relations."""
    entities, relations = dict[str, _Json](), list[_Json]()
    for item in items:
        kind, first, second, third = item
        if names is not None and not {first, third} & names:
            continue
        if kind == ENTITY:
            entities[first] = {"name": first, "entityType": second, "observations": []}
        elif kind == RELATION:
            relations.append({"from": first, "to": third, "relationType": second})
        elif first in entities:
            entities[first]["observations"].append(second)
    return {"entities": list(entities.values()), "relations": relations}


def _removed(memory: Memory, goes: Callable[[GraphItem], bool], message: str) -> ToolAnswer:
    graph = KnowledgeGraph(memory)
    graph.remove([item for item in graph.items() if goes(item)], "deleted by an agent")
    return ToolAnswer({"success": True, "message": message}, text=message)


def _listed(name: str, values: list[_Json]) -> ToolAnswer:
    return ToolAnswer({name: values}, text=_pretty(values))


def _shown(graph: _Json) -> ToolAnswer:
    return ToolAnswer(graph, text=_pretty(graph))


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


_RUN = {
    "create_entities": _create_entities,
    "create_relations": _create_relations,
    "add_observations": _add_observations,
    "delete_entities": _delete_entities,
    "delete_observations": _delete_observations,
    "delete_relations": _delete_relations,
    "read_graph": _read_graph,
    "search_nodes": _search_nodes,
    "open_nodes": _open_nodes,
}
