"""Calls of tools by a language model: their schemas, the check of arguments, and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from erstwhile.core.errors import InvalidInputError

ToolDefinition: TypeAlias = dict[str, Any]
_TYPES: dict[str, type] = {"string": str, "integer": int, "boolean": bool}


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
    fields, required = schemas[name]["properties"], schemas[name]["required"]
    if not isinstance(arguments, Mapping) or not set(required) <= set(arguments) <= set(fields):
        raise InvalidInputError(
            f"{name} takes {', '.join(fields)}", remedy=f"give {', '.join(required) or 'these'}"
        )
    for field, value in arguments.items():
        if type(value) is not _TYPES[fields[field]["type"]]:
            raise InvalidInputError(f"{field} must be of type {fields[field]['type']}")


def _as_function(tool: ToolDefinition) -> ToolDefinition:
    return {
        "name": tool["name"],
        "description": tool["description"],
        "parameters": tool["input_schema"],
    }
