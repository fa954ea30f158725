"""A tool for a model: its definition, the check of its arguments, answers and errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from erstwhile.core.errors import (
    AmbiguousTextError,
    ConflictError,
    ErstwhileError,
    InvalidInputError,
)

if TYPE_CHECKING:
    from erstwhile.blocks.block import Block
    from erstwhile.memory import Memory

Arguments: TypeAlias = Mapping[str, Any]
_TYPES: dict[str, type] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """Result of a tool: data, and a text for clients that only show text (default: the JSON)."""

    data: dict[str, Any]
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool: its definition as in MCP, and its function."""

    definition: Mapping[str, Any]
    run: Callable[[Memory, Arguments], ToolAnswer]

    @property
    def name(self) -> str:
        """The name by which a model calls it."""
        return str(self.definition["name"])

    def reads_only(self, arguments: Arguments) -> bool:
        """Return whether a call changes nothing: the tool never does, or this action of it."""
        if self.definition["annotations"]["readOnlyHint"]:
            return True
        return arguments.get("action") in self.definition.get("reads", ())

    def __call__(self, memory: Memory, arguments: Arguments) -> ToolAnswer:
        """Check the arguments and run the tool."""
        check_arguments(self.name, self.definition["inputSchema"], arguments)
        return self.run(memory, arguments)


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


def explain_to_model(memory: Memory, error: ErstwhileError) -> str:
    """Return an error for a model, with the block or the facts that it needs to call again."""
    text = f"{error.code}: {error}"
    if isinstance(error, ConflictError) and error.current is not None:
        return f"{text}\n{_with_content(error.current)}"
    if isinstance(error, AmbiguousTextError):
        facts = [memory.facts.get(id) for id in error.candidates]
        lines = [f"- {fact.short_id}: {' '.join(fact.text.split())}" for fact in facts]
        return "\n".join([f"{error.code}: {error.message}", *lines])
    return text


def _with_content(block: Block) -> str:
    """Return a block with its content, in numbered lines."""
    lines = enumerate(block.content.split("\n"), 1)
    numbered = "\n".join(f"{number:>6}\t{line}" for number, line in lines)
    size = f"{block.tokens:,} of {block.limit_tokens:,} tokens"
    return f"{block.name} (version {block.version}, {size})\n{numbered}"
