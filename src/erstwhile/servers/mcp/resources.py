"""Tools, resources and prompts of a memory, and its records as models read them.

Resources have URIs such as `memory://profile`. The texts of prompts are in the folder `prompts`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias
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
_Parts: TypeAlias = "Callable[[Memory, Mapping[str, str]], Mapping[str, str]]"


def memory_surface(without: Iterable[str] = ()) -> Surface:
    """Return the surface of a memory, without some groups of tools."""
    excluded, tools = set(without), read_json("tools.json")
    groups = list(dict.fromkeys(each["group"] for each in tools))
    if unknown := sorted(excluded - set(groups)):
        raise InvalidInputError(
            f"there is no group of tools {unknown[0]!r}", remedy=f"use {', '.join(groups)}"
        )
    records = read_json("records.json")
    return Surface(
        instructions=read_text("instructions.md"),
        tools=[_tool(each, records) for each in tools if each["group"] not in excluded],
        resources=MemoryResources(excluded),
        prompts=() if "facts" in excluded else memory_prompts(),
    )


def _tool(written: Mapping[str, Any], records: Mapping[str, Any]) -> Tool:
    definition = _without_group(written)
    named = set(_REFERENCE.findall(json.dumps(definition["outputSchema"])))
    used = {name: record for name, record in records.items() if name in named}
    definition["outputSchema"] = {**definition["outputSchema"], "$defs": used}
    return Tool(definition=definition, run=_runner(definition["name"]))


def _runner(name: str) -> Callable[[Memory, Arguments], ToolAnswer]:
    def run(memory: Memory, given: Arguments) -> ToolAnswer:
        # Imported with the first call: a client waits for the start of its server.
        tools = import_module("erstwhile.servers.mcp.tools")
        answer: ToolAnswer = getattr(tools, name)(memory, given)
        return answer

    return run


def _without_group(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return a definition as in the protocol, which knows no groups."""
    return {name: value for name, value in written.items() if name != "group"}


class MemoryResources:
    """The resources of a memory, without those of some groups of tools."""

    def __init__(self, without: Collection[str] = ()) -> None:
        written = read_json("resources.json")
        self._fixed, self.templates = (
            [_without_group(each) for each in written[part] if each["group"] not in without]
            for part in ("resources", "templates")
        )
        self._groups = {"facts", "blocks"} - set(without)

    def listed(self, memory: Memory) -> list[dict[str, Any]]:
        """Return the resources of a memory; each block is one."""
        if "blocks" not in self._groups:
            return self._fixed
        return [*self._fixed, *map(_of_block, memory.blocks.list(limit=_NEWEST))]

    def read(self, memory: Memory, uri: str) -> ResourceText:
        """Return a resource, or raise NotFoundError."""
        kind, _, name = uri.removeprefix(_SCHEME).partition("/")
        read = _READ.get((kind, bool(name)))
        if not uri.startswith(_SCHEME) or read is None or _GROUPS[kind] not in self._groups:
            raise NotFoundError(f"no resource {uri!r} is visible here", remedy="list the resources")
        return read(memory, unquote(name))


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
"""The group of each kind of resource."""
_READ: dict[tuple[str, bool], Callable[[Memory, str], ResourceText]] = {
    ("profile", False): _profile,
    ("facts", False): _facts,
    ("instructions", False): _instructions,
    ("facts", True): _fact,
    ("blocks", False): _blocks,
    ("blocks", True): _block,
}
"""Readers by kind: of all, or of one by its name."""


def memory_prompts() -> list[McpPrompt]:
    """Return the prompts about a memory."""
    return [
        McpPrompt(definition=each, write=_writer(each["name"]))
        for each in read_json("prompts.json")
    ]


def _writer(name: str) -> Callable[[Memory, Mapping[str, str]], str]:
    def write(memory: Memory, given: Mapping[str, str]) -> str:
        return read_text(f"prompts/{name}.md").format(**_PARTS[name](memory, given))

    return write


def _about_me(memory: Memory, given: Mapping[str, str]) -> Mapping[str, str]:
    subject = given.get("subject", "").strip()
    about = f" about {subject}" if subject else ""
    return {"about": about, "memory": memory.context(subject).text or _EMPTY}


def _review_learned(memory: Memory, _given: Mapping[str, str]) -> Mapping[str, str]:
    newest = [fact_view(fact) for fact in memory.facts.list(limit=_REVIEWED)]
    lines = [json.dumps(fact, ensure_ascii=False) for fact in newest]
    return {"memory": "\n".join(lines) or _EMPTY}


_PARTS: dict[str, _Parts] = {
    "about_me": _about_me,
    "review_learned": _review_learned,
    "end_of_session": lambda _memory, _given: {},
}
"""Values for the text of each prompt."""


def fact_view(fact: Fact) -> dict[str, Any]:
    """Return a fact."""
    return _given(
        id=fact.short_id,
        text=fact.text,
        kind=fact.kind.value,
        state=_state(fact),
        key=fact.key,
        origin=fact.origin.value,
        recorded_at=_time(fact.recorded_at),
        valid_from=_time(fact.valid_from),
        ends_at=_time(fact.ends_at),
    )


def hit_view(hit: Hit) -> dict[str, Any]:
    """Return a recalled record: a whole fact, or the matching passage."""
    is_fact, is_message = hit.kind is TextKind.FACTS, hit.kind is TextKind.MESSAGES
    return _given(
        record=hit.kind.value,
        id=short_id(hit.record.id),
        text=hit.fact.text if is_fact else hit.passage.text,
        timestamp=_time(hit.record.timestamp),
        score=round(hit.score, 3),
        role=hit.message.role.value if is_message else None,
        state=_state(hit.fact) if is_fact else None,
    )


def block_view(block: Block, *, whole: bool = True) -> dict[str, Any]:
    """Return a block, with its content if it is `whole`."""
    return _given(
        name=block.name,
        description=block.description,
        version=block.version,
        tokens=block.tokens,
        limit_tokens=block.limit_tokens,
        read_only=block.read_only,
        content=block.content if whole else None,
    )


def decision_view(decision: Decision) -> dict[str, Any]:
    """Return a decision."""
    return _given(
        id=decision.short_id,
        goal=decision.goal,
        tool=decision.tool,
        input=decision.input,
        choice=str(decision.choice),
        decided_by=str(decision.decided_by),
        rationale=decision.rationale,
        recorded_at=_time(decision.recorded_at),
    )


def task_view(task: Task) -> dict[str, Any]:
    """Return a task."""
    return _given(
        id=short_id(task.id),
        description=task.description,
        status=task.status.value,
        due_at=_time(task.due_at),
        recurrence=task.recurrence,
    )


def fact_change_view(change: FactChange) -> dict[str, Any]:
    """Return a change of a fact."""
    return _given(
        at=_time(change.at),
        action=change.action,
        actor=change.actor,
        reason=change.reason,
        text=change.fact.text,
        state=_state(change.fact, change.at),
    )


def block_change_view(change: BlockChange) -> dict[str, Any]:
    """Return a change of a block."""
    return _given(
        at=_time(change.at),
        action=change.action,
        actor=change.actor,
        reason=change.reason,
        text=change.new.content,
        version=change.version,
    )


def _given(**fields: Any) -> dict[str, Any]:
    """Return the fields with a value, to save tokens."""
    return {name: value for name, value in fields.items() if value is not None}


def _state(fact: Fact, at: datetime | None = None) -> str:
    return fact.state(at or max(datetime.now(UTC), fact.known_from)).value


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="seconds")
