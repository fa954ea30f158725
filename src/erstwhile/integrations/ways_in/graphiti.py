"""Graphs of Graphiti and Zep as JSON: nodes with summaries, and edges that state facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from erstwhile.core.kinds import Kind
from erstwhile.integrations.ways_in.arrivals import Arrivals, ForeignFact, facts_of, id_of
from erstwhile.integrations.ways_in.files import list_of, object_of, read_json, text_of, time_of


def read(file: Path) -> Arrivals:
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
        enumerate(parts, 1), lambda part: (*_of_edge(part, names), *_of_node(part)), "item"
    )


def _of_edge(edge: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[ForeignFact]:
    text = text_of(edge.get("fact"))
    if not text:
        return
    ends = (names.get(text_of(edge.get(f"{end}_node_uuid"))) for end in ("source", "target"))
    subject, target = ends
    verb = text_of(edge.get("name"))
    linked = bool(subject and target and verb)
    yield ForeignFact(
        id=text_of(edge.get("uuid")) or id_of(text),
        text=text,
        kind=Kind.RELATION if linked else Kind.FACT,
        relations=[(str(subject), verb, str(target))] if linked else [],
        since=time_of(edge.get("valid_at") or edge.get("created_at")),
        until=time_of(edge.get("invalid_at") or edge.get("expired_at")),
    )


def _of_node(node: Mapping[str, Any]) -> Iterator[ForeignFact]:
    name, summary = text_of(node.get("name")), text_of(node.get("summary"))
    if not name or not summary or "fact" in node:
        return
    yield ForeignFact(
        id=text_of(node.get("uuid")) or id_of(name, summary),
        text=summary if name.casefold() in summary.casefold() else f"{name}: {summary}",
        entities=[name],
        since=time_of(node.get("created_at")),
    )
