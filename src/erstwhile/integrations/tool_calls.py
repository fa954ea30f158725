"""Calls of tools by a language model: their schemas, the check of arguments, and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from erstwhile.core.errors import InvalidInputError

ToolDefinition: TypeAlias = dict[str, Any]
_TYPES: dict[str, type] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}


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
        return [{"type": "function", "function": _as_function(tool)} for tool in tools]
    raise InvalidInputError(f"unknown style {style!r}", remedy="use anthropic or openai")


def check_call(tools: Sequence[ToolDefinition], name: str, arguments: Mapping[str, Any]) -> None:
    """Raise InvalidInputError if the arguments do not fit the schema of the tool."""
    schemas = {tool["name"]: tool["input_schema"] for tool in tools}
    if name not in schemas:
        raise InvalidInputError(f"unknown tool {name!r}", remedy=f"use {', '.join(schemas)}")
    check_arguments(name, schemas[name], arguments)


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


def _as_function(tool: ToolDefinition) -> ToolDefinition:
    return {
        "name": tool["name"],
        "description": tool["description"],
        "parameters": tool["input_schema"],
    }
