"""Tools, resources and prompts of a memory.

Resources have URIs such as `memory://profile`. The texts of prompts are in the folder `prompts`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from erstwhile.core.errors import NotFoundError
from erstwhile.core.kinds import Kind
from erstwhile.servers.mcp.surface import (
    McpPrompt,
    ResourceText,
    Surface,
    read_json,
    read_text,
)
from erstwhile.tools.toolset import check_groups, memory_tools
from erstwhile.tools.views import block_view, fact_view

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_SCHEME = "memory://"
_NEWEST = 100
_JSON, _PLAIN = "application/json", "text/plain"
_REVIEWED = 50
_EMPTY = "(nothing yet)"


def memory_surface(without: Iterable[str] = ()) -> Surface:
    """Return the surface of a memory, without some groups of tools."""
    excluded = set(without)
    groups = [each for each in check_groups(excluded) if each not in excluded]
    written = read_json("resources.json")
    fixed = _included(written["resources"], excluded)
    return Surface(
        instructions=read_text("instructions.md"),
        tools=memory_tools(groups),
        list_resources=partial(_list_resources, fixed, excluded),
        read_resource=partial(_read_resource, excluded),
        templates=_included(written["templates"], excluded),
        prompts=() if "facts" in excluded else list(map(_prompt, read_json("prompts.json"))),
    )


def _included(definitions: Iterable[Mapping[str, Any]], excluded: set[str]) -> list[dict[str, Any]]:
    """Return the definitions as in the protocol, which knows no groups, without some groups."""
    return [
        {name: value for name, value in each.items() if name != "group"}
        for each in definitions
        if each["group"] not in excluded
    ]


def _list_resources(
    fixed: list[dict[str, Any]], excluded: set[str], memory: Memory
) -> list[dict[str, Any]]:
    """Return the resources of a memory; each block is one."""
    blocks = () if "blocks" in excluded else memory.blocks.list(limit=_NEWEST)
    return fixed + [
        {
            "uri": f"{_SCHEME}blocks/{quote(block.name)}",
            "name": block.name,
            "description": block.description or f"The block {block.name}.",
            "mimeType": _PLAIN,
        }
        for block in blocks
    ]


def _read_resource(excluded: set[str], memory: Memory, uri: str) -> ResourceText:
    """Return a resource, or raise NotFoundError."""
    kind, _, name = uri.removeprefix(_SCHEME).partition("/")
    read = _READ.get((kind, bool(name)))
    if not uri.startswith(_SCHEME) or read is None or _GROUPS[kind] in excluded:
        raise NotFoundError(f"no resource {uri!r} is visible here", remedy="list the resources")
    value = read(memory, unquote(name))
    if isinstance(value, str):
        return ResourceText(_PLAIN, value)
    return ResourceText(_JSON, json.dumps(value, ensure_ascii=False, indent=2))


_GROUPS = {"profile": "facts", "facts": "facts", "instructions": "facts", "blocks": "blocks"}
"""The group of each kind of resource."""
_READ: dict[tuple[str, bool], Callable[[Memory, str], Any]] = {
    ("profile", False): lambda memory, _: memory.profile.text(),
    ("facts", False): lambda memory, _: _newest_facts(memory),
    ("instructions", False): lambda memory, _: _newest_facts(memory, kind=Kind.INSTRUCTION),
    ("facts", True): lambda memory, id: fact_view(memory.facts.get(id)),
    ("blocks", False): lambda memory, _: [
        block_view(each, whole=False) for each in memory.blocks.list(limit=_NEWEST)
    ],
    ("blocks", True): lambda memory, name: memory.blocks.get(name).content,
}
"""Readers by kind: of all, or of one by its name. They return a text or a JSON value."""


def _newest_facts(memory: Memory, limit: int = _NEWEST, **filters: Any) -> list[dict[str, Any]]:
    return [fact_view(each) for each in memory.facts.list(limit=limit, **filters)]


def _prompt(definition: Mapping[str, Any]) -> McpPrompt:
    name = definition["name"]

    def write(memory: Memory, given: Mapping[str, str]) -> str:
        return read_text(f"prompts/{name}.md").format(**_PROMPT_VALUES[name](memory, given))

    return McpPrompt(definition=definition, write=write)


def _about_me(memory: Memory, given: Mapping[str, str]) -> Mapping[str, str]:
    subject = given.get("subject", "").strip()
    about = f" about {subject}" if subject else ""
    return {"about": about, "memory": memory.context(subject).text or _EMPTY}


def _review_learned(memory: Memory, _given: Mapping[str, str]) -> Mapping[str, str]:
    newest = _newest_facts(memory, _REVIEWED)
    return {"memory": "\n".join(json.dumps(f, ensure_ascii=False) for f in newest) or _EMPTY}


_PROMPT_VALUES: dict[str, Callable[[Memory, Mapping[str, str]], Mapping[str, str]]] = {
    "about_me": _about_me,
    "review_learned": _review_learned,
    "end_of_session": lambda _memory, _given: {},
}
"""Values for the text of each prompt."""
