"""The resources of a memory: profile, facts, instructions and blocks, by addresses such as `memory://profile`."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from erstwhile.blocks.block import Block
from erstwhile.core.errors import NotFoundError
from erstwhile.core.kinds import Kind
from erstwhile.doors.mcp.own_files import read_json
from erstwhile.doors.mcp.surface import ResourceText
from erstwhile.doors.mcp.views import block_view, fact_view

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_SCHEME = "memory://"
_NEWEST = 100
_JSON, _PLAIN = "application/json", "text/plain"


class MemoryResources:
    """The resources of a memory, without those of some groups of tools."""

    def __init__(self, without: Collection[str] = ()) -> None:
        written = read_json("resources.json")
        self._fixed, self.templates = (
            [_definition(each) for each in written[part] if each["group"] not in without]
            for part in ("resources", "templates")
        )
        self._groups = {"facts", "blocks"} - set(without)

    def listed(self, memory: Memory) -> list[dict[str, Any]]:
        """Return the resources of a memory; each block is one."""
        if "blocks" not in self._groups:
            return self._fixed
        return [*self._fixed, *map(_of_block, memory.blocks.list(limit=_NEWEST))]

    def read(self, memory: Memory, uri: str) -> ResourceText:
        """Return a resource. Raise NotFoundError if there is none at this address."""
        kind, _, name = uri.removeprefix(_SCHEME).partition("/")
        read = _READ.get((kind, bool(name)))
        if not uri.startswith(_SCHEME) or read is None or _GROUPS[kind] not in self._groups:
            raise NotFoundError(f"no resource {uri!r} is visible here", remedy="list the resources")
        return read(memory, unquote(name))


def _definition(written: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in written.items() if name != "group"}


def _of_block(block: Block) -> dict[str, Any]:
    return {
        "uri": f"{_SCHEME}blocks/{quote(block.name)}",
        "name": block.name,
        "description": block.description or f"The block {block.name}.",
        "mimeType": _PLAIN,
    }


def _profile(memory: Memory, _name: str) -> ResourceText:
    return ResourceText(_PLAIN, memory.profile.text())


def _facts(memory: Memory, _name: str) -> ResourceText:
    return _as_json([fact_view(each) for each in memory.facts.list(limit=_NEWEST)])


def _instructions(memory: Memory, _name: str) -> ResourceText:
    found = memory.facts.list(kind=Kind.INSTRUCTION, limit=_NEWEST)
    return _as_json([fact_view(each) for each in found])


def _fact(memory: Memory, id: str) -> ResourceText:
    return _as_json(fact_view(memory.facts.get(id)))


def _blocks(memory: Memory, _name: str) -> ResourceText:
    return _as_json([block_view(each, whole=False) for each in memory.blocks.list(limit=_NEWEST)])


def _block(memory: Memory, name: str) -> ResourceText:
    return ResourceText(_PLAIN, memory.blocks.get(name).content)


def _as_json(value: Any) -> ResourceText:
    return ResourceText(_JSON, json.dumps(value, ensure_ascii=False, indent=2))


_GROUPS = {"profile": "facts", "facts": "facts", "instructions": "facts", "blocks": "blocks"}
"""The group of tools that each kind of resource belongs to."""
_READ: dict[tuple[str, bool], Callable[[Memory, str], ResourceText]] = {
    ("profile", False): _profile,
    ("facts", False): _facts,
    ("instructions", False): _instructions,
    ("facts", True): _fact,
    ("blocks", False): _blocks,
    ("blocks", True): _block,
}
"""How to read each kind: as a whole, or one by its name."""
