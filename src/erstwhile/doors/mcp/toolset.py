"""What the server offers of a memory. The descriptions of its tools are in `tools.json`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from erstwhile import __version__
from erstwhile.core.errors import InvalidInputError
from erstwhile.doors.mcp.own_files import read_json, read_text
from erstwhile.doors.mcp.prompts import memory_prompts
from erstwhile.doors.mcp.resources import MemoryResources
from erstwhile.doors.mcp.surface import Arguments, Surface, Tool, ToolAnswer

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_WORK = frozenset(("blocks", "decisions", "tasks"))
"""The tools of `work_tools.py`; the others are in `fact_tools.py`."""
_REFERRED = re.compile(r'"#/\$defs/(\w+)"')


def memory_surface(without: Iterable[str] = ()) -> Surface:
    """Return what a memory offers, without some groups of tools."""
    left_out = set(without)
    tools = read_json("tools.json")
    groups = list(dict.fromkeys(each["group"] for each in tools))
    if unknown := sorted(left_out - set(groups)):
        raise InvalidInputError(
            f"there is no group of tools {unknown[0]!r}", remedy=f"use {', '.join(groups)}"
        )
    records = read_json("records.json")
    return Surface(
        name="erstwhile",
        version=__version__,
        instructions=read_text("instructions.md"),
        tools=[_tool(each, records) for each in tools if each["group"] not in left_out],
        resources=MemoryResources(left_out),
        prompts=() if "facts" in left_out else memory_prompts(),
    )


def _tool(written: Mapping[str, Any], records: Mapping[str, Any]) -> Tool:
    definition = {name: value for name, value in written.items() if name != "group"}
    named = set(_REFERRED.findall(json.dumps(definition["outputSchema"])))
    used = {name: record for name, record in records.items() if name in named}
    definition["outputSchema"] = {**definition["outputSchema"], "$defs": used}
    return Tool(definition=definition, run=_runner(definition["name"]))


def _runner(name: str) -> Callable[[Memory, Arguments], ToolAnswer]:
    def run(memory: Memory, given: Arguments) -> ToolAnswer:
        # Imported with the first call: a client waits for the start of its server.
        home = import_module(f"{__package__}.{'work' if name in _WORK else 'fact'}_tools")
        answer: ToolAnswer = getattr(home, name)(memory, given)
        return answer

    return run
