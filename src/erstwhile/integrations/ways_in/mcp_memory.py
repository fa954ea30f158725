"""The file of the reference memory server of the Model Context Protocol (`server-memory`).

JSON lines: entities with observations, and relations between entities.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from erstwhile.core.kinds import Kind
from erstwhile.integrations.ways_in.arrivals import Arrivals, ForeignFact, facts_of, id_of
from erstwhile.integrations.ways_in.files import list_of, read_lines, text_of


def read(file: Path) -> Arrivals:
    """Return a fact for each observation, and one for each relation."""
    return facts_of(read_lines(file), _facts, "line")


def _facts(line: str) -> Iterator[ForeignFact]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return
    if isinstance(told, dict):
        yield from _of_entity(told) if told.get("type") == "entity" else _of_relation(told)


def _of_entity(told: Mapping[str, Any]) -> Iterator[ForeignFact]:
    name, kind = text_of(told.get("name")), text_of(told.get("entityType"))
    for observation in filter(None, map(text_of, list_of(told.get("observations")))):
        yield ForeignFact(
            id=id_of(name, observation),
            text=f"{name}: {observation}" if name else observation,
            entities=[name] if name else [],
            tags=[kind] if kind else [],
        )


def _of_relation(told: Mapping[str, Any]) -> Iterator[ForeignFact]:
    one, verb, other = (text_of(told.get(name)) for name in ("from", "relationType", "to"))
    if told.get("type") == "relation" and one and verb and other:
        yield ForeignFact(
            id=id_of(one, verb, other),
            text=f"{one} {verb.replace('_', ' ')} {other}",
            kind=Kind.RELATION,
            relations=[(one, verb, other)],
        )
