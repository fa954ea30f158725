"""Tools, resources and prompts of a memory, and its records as models read them.

Resources have URIs such as `memory://profile`. The texts of prompts are in the folder `prompts`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from enum import Enum
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.ids import short_id
from erstwhile.core.kinds import Kind, TextKind
from erstwhile.servers.mcp.surface import (
    Arguments,
    McpPrompt,
    ResourceText,
    Surface,
    Tool,
    ToolAnswer,
    read_json,
    read_text,
)

if TYPE_CHECKING:  # a server loads tasks only when it is asked for them
    from erstwhile.blocks.block import Block, BlockChange
    from erstwhile.decisions.decision import Decision
    from erstwhile.facts.fact import Fact, FactChange
    from erstwhile.memory import Memory
    from erstwhile.recall.hits import Hit
    from erstwhile.tasks.task import Task

_SCHEME = "memory://"
_NEWEST = 100
_JSON, _PLAIN = "application/json", "text/plain"
_REVIEWED = 50
_EMPTY = "(nothing yet)"
_REFERENCE = re.compile(r'"#/\$defs/(\w+)"')


def memory_surface(without: Iterable[str] = ()) -> Surface:
    """Return the surface of a memory, without some groups of tools."""
    excluded, tools = set(without), read_json("tools.json")
    groups = list(dict.fromkeys(each["group"] for each in tools))
    if unknown := sorted(excluded - set(groups)):
        raise InvalidInputError(
            f"there is no group of tools {unknown[0]!r}", remedy=f"use {', '.join(groups)}"
        )
    written = read_json("resources.json")
    fixed = _included(written["resources"], excluded)
    return Surface(
        instructions=read_text("instructions.md"),
        tools=[_tool(each) for each in _included(tools, excluded)],
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


def _tool(definition: Mapping[str, Any]) -> Tool:
    name, schema = definition["name"], definition["outputSchema"]
    named = set(_REFERENCE.findall(json.dumps(schema)))
    used = {record: each for record, each in _records().items() if record in named}

    def run(memory: Memory, given: Arguments) -> ToolAnswer:
        # Imported with the first call: a client waits for the start of its server.
        tools = import_module("erstwhile.servers.mcp.tools")
        answer: ToolAnswer = getattr(tools, name)(memory, given)
        return answer

    return Tool(definition={**definition, "outputSchema": {**schema, "$defs": used}}, run=run)


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


@cache
def _records() -> Mapping[str, Any]:
    """Return the JSON schemas of records, by name."""
    schemas: Mapping[str, Any] = read_json("records.json")
    return schemas


def _view(schema: str, record: object, /, **fields: Any) -> dict[str, Any]:
    """Return the fields of a record that its schema names, without empty ones, to save tokens.

    `fields` are used instead of the attributes of the record.
    """
    values = {
        name: fields[name] if name in fields else getattr(record, name)
        for name in _records()[schema]["properties"]
    }
    return {name: _to_json(value) for name, value in values.items() if value is not None}


def _to_json(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="seconds")
    return value.value if isinstance(value, Enum) else value


def record_view(schema: str, record: Decision | Task) -> dict[str, Any]:
    """Return a decision or a task."""
    return _view(schema, record, id=short_id(record.id))


def fact_view(fact: Fact) -> dict[str, Any]:
    """Return a fact."""
    return _view("fact", fact, id=fact.short_id, state=fact.state)


def hit_view(hit: Hit) -> dict[str, Any]:
    """Return a recalled record: a whole fact, or the matching passage."""
    is_fact, is_message = hit.kind is TextKind.FACTS, hit.kind is TextKind.MESSAGES
    return _view(
        "hit",
        hit,
        record=hit.kind,
        id=short_id(hit.record.id),
        text=hit.fact.text if is_fact else hit.passage.text,
        timestamp=hit.record.timestamp,
        relevance=round(hit.relevance, 3),
        weak=hit.is_weak or None,
        role=hit.message.role if is_message else None,
        state=hit.fact.state if is_fact else None,
    )


def block_view(block: Block, *, whole: bool = True) -> dict[str, Any]:
    """Return a block, with its content if it is `whole`."""
    return _view(
        "block",
        block,
        content=block.content if whole else None,
        archived=block.archived or None,
        moved=block.moved or None,
    )


def fact_change_view(change: FactChange) -> dict[str, Any]:
    """Return a change of a fact."""
    state = change.fact.state_at(change.at)
    return _view("change", change, text=change.fact.text, state=state, version=None, moved=None)


def block_change_view(change: BlockChange) -> dict[str, Any]:
    """Return a change of a block."""
    return _view("change", change, text=change.new.content, state=None, moved=change.moved or None)
