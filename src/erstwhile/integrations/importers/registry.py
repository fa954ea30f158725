"""Memory programs with importable files, by their `--from` names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path

from erstwhile.bootstrap import empty_like
from erstwhile.core.arguments import checked_arguments
from erstwhile.core.errors import InvalidInputError
from erstwhile.integrations.importers import chats, graphs, stores
from erstwhile.integrations.importers.databases import read_database
from erstwhile.integrations.importers.import_records import (
    ImportReport,
    OnNew,
    Progress,
    import_records,
)
from erstwhile.integrations.importers.records import ImportedRecords
from erstwhile.integrations.importers.stores import read_langgraph
from erstwhile.memory import Memory


@dataclass(frozen=True, slots=True)
class Program:
    """A program, a description of its files, and their reader."""

    name: str
    files: str
    read: Callable[[Path], ImportedRecords]


LANGGRAPH = "langgraph"
PROGRAMS: Mapping[str, Program] = {
    program.name: program
    for program in (
        Program(
            "mcp-memory", "the file of the reference MCP memory server", graphs.read_mcp_memory
        ),
        Program(
            "mem0", "the JSON of `get_all`, the Qdrant folder, or the history", stores.read_mem0
        ),
        Program("chatgpt", "the conversations.json of an export", chats.read_chatgpt),
        Program("claude", "the conversations.json or memories.json", chats.read_claude),
        Program(LANGGRAPH, "items as JSON, or the file of SqliteStore", read_langgraph),
        Program("letta", "an agent file (.af), or passages as JSON", chats.read_letta),
        Program("graphiti", "nodes and edges of Graphiti or Zep as JSON", graphs.read_graphiti),
        Program(
            "basic-memory", "a note in Markdown, or a folder of them", graphs.read_basic_memory
        ),
        Program("kernex", "its database memory.db", partial(read_database, "kernex")),
        Program("engram", "its database", partial(read_database, "engram")),
        Program("rubino", "its database", partial(read_database, "rubino")),
        Program(
            "nexo",
            "its database of memories, or that of decisions",
            partial(read_database, "nexo"),
        ),
    )
}


def read_from(name: str, file: Path, *, namespace: str | None = None) -> ImportedRecords:
    """Read a file of a program; raise InvalidInputError if there is nothing in it."""
    if name not in PROGRAMS:
        raise InvalidInputError(
            f"no files of {name!r} can be imported", remedy=f"use one of {', '.join(PROGRAMS)}"
        )
    if namespace is not None and name != LANGGRAPH:
        raise InvalidInputError(
            f"files of {name} have no namespaces", remedy=f"give one for {LANGGRAPH} only"
        )
    found = PROGRAMS[name].read(file) if namespace is None else read_langgraph(file, namespace)
    if not (found.facts or found.conversations or found.blocks or found.entries):
        raise InvalidInputError(
            f"{file} has no records of {name}", remedy=f"give {PROGRAMS[name].files}"
        )
    return found


@checked_arguments
def import_from(
    memory: Memory,
    name: str,
    file: str | PathLike[str],
    *,
    namespace: str | None = None,
    preview: bool = False,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> ImportReport:
    """Import a file of another program into the scope of a memory; a preview stores nothing.

    `namespace` says which part of the namespaces of LangGraph is the user: "memories/{user}".
    """
    found = read_from(name, Path(file).expanduser(), namespace=namespace)
    return import_found(memory, name, found, progress, preview=preview)


def import_found(
    memory: Memory,
    name: str,
    found: ImportedRecords,
    progress: Progress,
    *,
    preview: bool,
    on_new: OnNew = lambda _what, _scope, _text: None,
) -> ImportReport:
    """Store the records of a file; `on_new` gets each new record."""
    if not preview:
        return import_records(memory, name, found, progress, on_new=on_new)
    with empty_like(memory) as trial:
        return import_records(memory, name, found, progress, trial=trial, on_new=on_new)
