"""The programs whose files can be imported, by the names of `--from`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from erstwhile.core.errors import InvalidInputError
from erstwhile.integrations.ways_in import (
    basic_memory,
    chat_memories,
    engram,
    graphiti,
    kernex,
    langgraph,
    letta,
    mcp_memory,
    mem0,
    rubino,
)
from erstwhile.integrations.ways_in.arrivals import Arrivals


@dataclass(frozen=True, slots=True)
class WayIn:
    """A program, the files that it writes, and their reader."""

    name: str
    files: str
    read: Callable[[Path], Arrivals]


WAYS_IN: Mapping[str, WayIn] = {
    way.name: way
    for way in (
        WayIn("mcp-memory", "the file of the reference MCP memory server", mcp_memory.read),
        WayIn("mem0", "the JSON of `get_all`, the Qdrant folder, or the history", mem0.read),
        WayIn("chatgpt", "the conversations.json of an export", chat_memories.read_chatgpt),
        WayIn("claude", "the conversations.json or memories.json", chat_memories.read_claude),
        WayIn("langgraph", "items as JSON, or the file of SqliteStore", langgraph.read),
        WayIn("letta", "an agent file (.af), or passages as JSON", letta.read),
        WayIn("graphiti", "nodes and edges of Graphiti or Zep as JSON", graphiti.read),
        WayIn("basic-memory", "a note in Markdown, or a folder of them", basic_memory.read),
        WayIn("kernex", "its database memory.db", kernex.read),
        WayIn("engram", "its database", engram.read),
        WayIn("rubino", "its database", rubino.read),
    )
}


def read_from(name: str, file: Path) -> Arrivals:
    """Read a file of a program; raise InvalidInputError if there is nothing in it."""
    if name not in WAYS_IN:
        raise InvalidInputError(
            f"no files of {name!r} can be imported", remedy=f"use one of {', '.join(WAYS_IN)}"
        )
    found = WAYS_IN[name].read(file)
    if not (found.facts or found.conversations or found.blocks):
        raise InvalidInputError(
            f"nothing of {name} is in {file}", remedy=f"give {WAYS_IN[name].files}"
        )
    return found
