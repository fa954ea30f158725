"""Tools for a language model to read and edit its own blocks, for any function-calling framework.

The descriptions for the model are in `block_tools.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from erstwhile.blocks.block import Block
from erstwhile.core.errors import ConflictError, ErstwhileError, InvalidInputError
from erstwhile.integrations.file_listing import number_lines
from erstwhile.integrations.guarded_blocks import GuardedBlocks
from erstwhile.memory import Memory

_TYPES: dict[str, type] = {"string": str, "integer": int}


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer to the model; `failed` means that nothing was changed."""

    text: str
    failed: bool = False


class BlockTools:
    """The tools memory_view, memory_append, memory_replace, memory_insert and memory_rethink.

    The guard judges what the model adds to a block.
    """

    def __init__(self, memory: Memory) -> None:
        self._blocks = memory.blocks
        writing = GuardedBlocks(memory.blocks)
        self._verbs: dict[str, Callable[..., Block]] = {
            "memory_append": lambda block, text, **options: writing.append(block, text, **options),
            "memory_replace": lambda block, old_text, new_text, **options: writing.replace_text(
                block, old_text, new_text, **options
            ),
            "memory_insert": lambda block, line, text, **options: writing.insert(
                block, line, text, **options
            ),
            "memory_rethink": lambda block, content, **options: writing.update(
                block, content, **options
            ),
        }

    def definitions(self, style: str = "anthropic") -> list[dict[str, Any]]:
        """Return the tools as JSON, in the form of a provider: "anthropic" or "openai"."""
        tools: list[dict[str, Any]] = json.loads(
            files(__package__).joinpath("block_tools.json").read_text("utf-8")
        )
        if style == "anthropic":
            return tools
        if style == "openai":
            return [{"type": "function", "function": _as_function(tool)} for tool in tools]
        raise InvalidInputError(f"unknown style {style!r}", remedy="use anthropic or openai")

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool call of the model. An invalid call returns an error text, not an exception."""
        try:
            self._check(name, arguments)
            if name == "memory_view":
                return ToolResult(self._view(**arguments))
            return ToolResult(_edit_result(self._verbs[name](**arguments)))
        except ConflictError as error:
            current = "" if error.current is None else f"\n{_with_content(error.current)}"
            return ToolResult(f"{error}{current}", failed=True)
        except ErstwhileError as error:
            return ToolResult(str(error), failed=True)

    def _check(self, name: str, arguments: Mapping[str, Any]) -> None:
        """Raise InvalidInputError if the arguments do not fit the schema of the tool."""
        schemas = {tool["name"]: tool["input_schema"] for tool in self.definitions()}
        if name not in schemas:
            raise InvalidInputError(f"unknown tool {name!r}", remedy=f"use {', '.join(schemas)}")
        fields, required = schemas[name]["properties"], schemas[name]["required"]
        if not isinstance(arguments, Mapping) or not set(required) <= set(arguments) <= set(fields):
            raise InvalidInputError(
                f"{name} takes {', '.join(fields)}", remedy=f"give {', '.join(required) or 'these'}"
            )
        for field, value in arguments.items():
            if type(value) is not _TYPES[fields[field]["type"]]:
                raise InvalidInputError(f"{field} must be of type {fields[field]['type']}")

    def _view(self, block: str | None = None) -> str:
        if block is not None:
            return _with_content(self._blocks.get(block))
        lines = [_line(each) for each in self._blocks.list(limit=1_000)]
        return "\n".join(lines) or "There are no memory blocks yet."


def _as_function(tool: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": tool["name"],
        "description": tool["description"],
        "parameters": tool["input_schema"],
    }


def _line(block: Block) -> str:
    line = f"{block.name} (version {block.version}, {_usage(block)})"
    return f"{line}: {block.description}" if block.description else line


def _with_content(block: Block) -> str:
    return f"{_line(block)}\n{number_lines(None, block.content)}"


def _edit_result(block: Block) -> str:
    return f"{block.name} is now at version {block.version}, {_usage(block)}."


def _usage(block: Block) -> str:
    read_only = ", read-only" if block.read_only else ""
    return f"{block.tokens:,} of {block.limit_tokens:,} tokens{read_only}"
