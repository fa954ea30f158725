"""Tool calls of a language model: definitions, argument checks, and results as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from erstwhile.blocks.block import Block, is_archived
from erstwhile.core.errors import (
    AmbiguousTextError,
    ConflictError,
    ErstwhileError,
    InvalidInputError,
)

if TYPE_CHECKING:
    from erstwhile.facts.fact import Fact
    from erstwhile.memory import Memory

ToolDefinition: TypeAlias = dict[str, Any]
_TYPES: dict[str, type] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}
_LINE_NUMBER_WIDTH = 6


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer to the model; `failed` means that nothing was changed."""

    text: str
    failed: bool = False


def in_style(tools: Sequence[ToolDefinition], style: str) -> list[ToolDefinition]:
    """Return the tools in the form of a provider: "anthropic" or "openai"."""
    if style == "anthropic":
        return list(tools)
    if style == "openai":
        names = {"name": "name", "description": "description", "parameters": "input_schema"}
        functions = [{name: tool[field] for name, field in names.items()} for tool in tools]
        return [{"type": "function", "function": each} for each in functions]
    raise InvalidInputError(f"unknown style {style!r}", remedy="use anthropic or openai")


def check_arguments(place: str, schema: Mapping[str, Any], arguments: Any) -> None:
    """Raise InvalidInputError if arguments do not fit a schema; `place` names them in the error.

    Know the keywords that schemas of tools use: type, enum, properties, required, items.
    """
    if not isinstance(arguments, Mapping):
        raise InvalidInputError(f"{place} must be of type object")
    fields, required = schema.get("properties", {}), schema.get("required", ())
    closed = schema.get("additionalProperties") is False
    if missing := [name for name in required if name not in arguments]:
        raise InvalidInputError(f"{place} needs {', '.join(missing)}", remedy=_takes(fields))
    if closed and (unknown := sorted(map(str, set(arguments) - set(fields)))):
        raise InvalidInputError(f"{place} takes no {', '.join(unknown)}", remedy=_takes(fields))
    for field in fields.keys() & arguments.keys():
        _check_value(field, fields[field], arguments[field])


def _takes(fields: Mapping[str, Any]) -> str:
    return f"it takes {', '.join(fields) or 'no arguments'}"


def _check_value(place: str, schema: Mapping[str, Any], value: Any) -> None:
    kind = schema.get("type")
    if kind is not None and type(value) is not _TYPES[kind]:
        raise InvalidInputError(f"{place} must be of type {kind}")
    if "enum" in schema and value not in schema["enum"]:
        raise InvalidInputError(
            f"{place} cannot be {value!r}", remedy=f"use one of {', '.join(schema['enum'])}"
        )
    if kind == "array":
        for nth, each in enumerate(value):
            _check_value(f"{place}[{nth}]", schema.get("items", {}), each)
    elif kind == "object":
        check_arguments(place, schema, value)


def explained(
    memory: Memory, error: ErstwhileError, *, line: Callable[[Fact], str] | None = None
) -> str:
    """Return an error with what a model needs to call again: the block, or the facts it may mean.

    `line` writes each of these facts.
    """
    if isinstance(error, ConflictError) and error.current is not None:
        return f"{error}\n{block_with_content(error.current)}"
    if isinstance(error, AmbiguousTextError):
        facts = [memory.facts.get(id) for id in error.candidates]
        return "\n".join([error.message, *map(line or fact_line, facts)])
    return str(error)


def fact_line(fact: Fact) -> str:
    """Return a fact on one line; the archived text of a block is marked."""
    text = " ".join(fact.text.split())
    origin = " (from the archive of a block)" if is_archived(fact) else ""
    return f"- {text} [{fact.recorded_at:%Y-%m-%d}]{origin}"


def block_line(block: Block) -> str:
    """Return a block on one line, without its content."""
    line = f"{block.name} (version {block.version}, {block_usage(block)})"
    return f"{line}: {block.description}" if block.description else line


def block_with_content(block: Block) -> str:
    """Return a block with its content, in numbered lines."""
    return f"{block_line(block)}\n{number_lines(None, block.content)}"


def block_usage(block: Block) -> str:
    """Return how full a block is."""
    read_only = ", read-only" if block.read_only else ""
    return f"{block.tokens:,} of {block.limit_tokens:,} tokens{read_only}"


def number_lines(path: str | None, content: str, view_range: tuple[int, int] = (1, -1)) -> str:
    """Return a range of lines of a file with their numbers; -1 is the last line."""
    lines, last = content.split("\n"), view_range[1]
    first = max(1, view_range[0])
    chosen = lines[first - 1 : len(lines) if last == -1 else last]
    text = "\n".join(
        f"{number:>{_LINE_NUMBER_WIDTH}}\t{line}" for number, line in enumerate(chosen, first)
    )
    return text if path is None else f"Here's the content of {path} with line numbers:\n{text}"
