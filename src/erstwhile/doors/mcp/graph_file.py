"""Read the file of the reference server `server-memory` into a memory, once.

A mark beside the file says which memories have read it. It is not in the memory: what is erased
there, mark and all, must not come back from the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import Origin
from erstwhile.doors.mcp.graph import GraphItem, KnowledgeGraph
from erstwhile.doors.mcp.graph_tools import entity_items, relation_item
from erstwhile.integrations.tool_calls import check_arguments

if TYPE_CHECKING:
    from erstwhile.memory import Memory

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


def read_graph_file_once(memory: Memory, file: Path, location: str) -> int | None:
    """Read the file into the memory at a location, or return None if that was done before."""
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
    """Add the parts of the file that this memory never had, and return their number.

    The file stays as it is. What was deleted since does not come back.
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
        raise InvalidInputError(f"{place} is not JSON", remedy="mend or remove it") from None
    kind = item.get("type") if isinstance(item, dict) else None
    if kind not in _SHAPES:
        return
    check_arguments(place, _SHAPES[kind], item)
    yield from entity_items(item) if kind == "entity" else [relation_item(item)]
