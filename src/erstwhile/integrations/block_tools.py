"""Tools with which a model reads and edits its own blocks, for any framework that calls functions.

What the model is told of them is in `block_tools.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from erstwhile.blocks.block import Block
from erstwhile.core.errors import ConflictError, ErstwhileError, InvalidInputError
from erstwhile.integrations.file_listing import numbered
from erstwhile.memory import Memory

_TYPES: dict[str, type] = {"string": str, "integer": int}


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model is told; `failed` says that nothing was changed."""

    text: str
    failed: bool = False


class BlockTools:
    """The tools memory_view, memory_append, memory_replace, memory_insert and memory_rethink."""

    def __init__(self, memory: Memory) -> None:
        self._blocks = memory.blocks
        self._verbs: dict[str, Callable[..., Block]] = {
            "memory_append": lambda block, text, **said: self._blocks.append(block, text, **said),
            "memory_replace": lambda block, old_text, new_text, **said: self._blocks.replace_text(
                block, old_text, new_text, **said
            ),
            "memory_insert": lambda block, line, text, **said: self._blocks.insert(
                block, line, text, **said
            ),
            "memory_rethink": lambda block, content, **said: self._blocks.update(
                block, content, **said
            ),
        }

    def definitions(self, style: str = "anthropic") -> list[dict[str, Any]]:
        """The tools as JSON, the way a provider wants them: "anthropic" or "openai"."""
        tools: list[dict[str, Any]] = json.loads(
            files(__package__).joinpath("block_tools.json").read_text("utf-8")
        )
        if style == "anthropic":
            return tools
        if style == "openai":
            return [{"type": "function", "function": _as_function(tool)} for tool in tools]
        raise InvalidInputError(f"unknown style {style!r}", remedy="use anthropic or openai")

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Do what the model asks. A mistake of its own is told to it, and is no exception."""
        try:
            said = self._checked(name, arguments)
            if name == "memory_view":
                return ToolResult(self._view(**said))
            return ToolResult(_edited(self._verbs[name](**said)))
        except ConflictError as error:
            current = "" if error.current is None else f"\n{_shown(error.current)}"
            return ToolResult(f"{error}{current}", failed=True)
        except ErstwhileError as error:
            return ToolResult(str(error), failed=True)

    def _checked(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What a model says is not always what its tool asks for."""
        schemas = {tool["name"]: tool["input_schema"] for tool in self.definitions()}
        if name not in schemas:
            raise InvalidInputError(f"unknown tool {name!r}", remedy=f"use {', '.join(schemas)}")
        asked, required = schemas[name]["properties"], schemas[name]["required"]
        if not isinstance(arguments, Mapping) or not set(required) <= set(arguments) <= set(asked):
            raise InvalidInputError(
                f"{name} takes {', '.join(asked)}", remedy=f"give {', '.join(required) or 'these'}"
            )
        for field, value in arguments.items():
            if type(value) is not _TYPES[asked[field]["type"]]:
                raise InvalidInputError(f"{field} must be of type {asked[field]['type']}")
        return dict(arguments)

    def _view(self, block: str | None = None) -> str:
        if block is not None:
            return _shown(self._blocks.get(block))
        lines = [_line(each) for each in self._blocks.list(limit=1_000)]
        return "\n".join(lines) or "There are no memory blocks yet."


def _as_function(tool: dict[str, Any]) -> dict[str, Any]:
    told = {"name": tool["name"], "description": tool["description"]}
    return {**told, "parameters": tool["input_schema"]}


def _line(block: Block) -> str:
    told = f"{block.name} (version {block.version}, {_fullness(block)})"
    return f"{told}: {block.description}" if block.description else told


def _shown(block: Block) -> str:
    return f"{_line(block)}\n{numbered(None, block.content)}"


def _edited(block: Block) -> str:
    return f"{block.name} is now at version {block.version}, {_fullness(block)}."


def _fullness(block: Block) -> str:
    only = ", read-only" if block.read_only else ""
    return f"{block.tokens:,} of {block.limit_tokens:,} tokens{only}"
