"""Knowledge graphs: Graphiti and Zep as JSON, and the reference MCP memory server.

Graphiti and Zep have nodes with summaries, and edges that state facts. The file of `server-memory`
is JSON lines: entities with observations, and relations between entities.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from erstwhile.core.kinds import Kind
from erstwhile.integrations.importers.files import (
    first_time,
    list_of,
    object_of,
    read_json,
    read_lines,
    text_of,
    time_of,
)
from erstwhile.integrations.importers.records import (
    ImportedFact,
    ImportedRecords,
    facts_of,
    id_of,
)


def read_graphiti(file: Path) -> ImportedRecords:
    """Return a fact for each edge, and one for each summary of a node.

    An edge that became invalid is a fact that has ended. A node and an edge are recognised by their
    fields, so that a list of either can be read, too. What states nothing is told.
    """
    told = read_json(file)
    whole = object_of(told)
    listed = [part for value in (told, *whole.values()) for part in map(object_of, list_of(value))]
    parts = list(filter(None, listed))
    names = {text_of(part.get("uuid")): text_of(part.get("name")) for part in parts}
    return facts_of(
        enumerate(parts, 1), lambda part: (*_edge_fact(part, names), *_node_fact(part)), "item"
    )


def _edge_fact(edge: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[ImportedFact]:
    text = text_of(edge.get("fact"))
    if not text:
        return
    ends = (names.get(text_of(edge.get(f"{end}_node_uuid"))) for end in ("source", "target"))
    subject, target = ends
    verb = text_of(edge.get("name"))
    linked = bool(subject and target and verb)
    yield ImportedFact(
        id=text_of(edge.get("uuid")) or id_of(text),
        text=text,
        kind=Kind.RELATION if linked else Kind.FACT,
        relations=[(str(subject), verb, str(target))] if linked else [],
        since=first_time(edge, "valid_at", "created_at"),
        until=first_time(edge, "invalid_at", "expired_at"),
    )


def _node_fact(node: Mapping[str, Any]) -> Iterator[ImportedFact]:
    name, summary = text_of(node.get("name")), text_of(node.get("summary"))
    if not name or not summary or "fact" in node:
        return
    yield ImportedFact(
        id=text_of(node.get("uuid")) or id_of(name, summary),
        text=summary if name.casefold() in summary.casefold() else f"{name}: {summary}",
        entities=[name],
        since=time_of(node.get("created_at")),
    )


def read_mcp_memory(file: Path) -> ImportedRecords:
    """Return a fact for each observation, and one for each relation."""
    return facts_of(read_lines(file), _line_facts, "line")


def _line_facts(line: str) -> Iterator[ImportedFact]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return
    if isinstance(told, dict):
        yield from _entity_facts(told) if told.get("type") == "entity" else _relation_fact(told)


def _entity_facts(told: Mapping[str, Any]) -> Iterator[ImportedFact]:
    name, kind = text_of(told.get("name")), text_of(told.get("entityType"))
    for observation in filter(None, map(text_of, list_of(told.get("observations")))):
        yield ImportedFact(
            id=id_of(name, observation),
            text=f"{name}: {observation}" if name else observation,
            entities=[name] if name else [],
            tags=[kind] if kind else [],
        )


def _relation_fact(told: Mapping[str, Any]) -> Iterator[ImportedFact]:
    one, verb, other = (text_of(told.get(name)) for name in ("from", "relationType", "to"))
    if told.get("type") == "relation" and one and verb and other:
        yield ImportedFact(
            id=id_of(one, verb, other),
            text=f"{one} {verb.replace('_', ' ')} {other}",
            kind=Kind.RELATION,
            relations=[(one, verb, other)],
        )
