"""What the conformance suite calls by fixed names and a surface can offer: texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from erstwhile import Memory
from erstwhile.core.errors import InvalidInputError
from erstwhile.servers.mcp.resources import MemoryResources, memory_surface
from erstwhile.servers.mcp.surface import (
    Arguments,
    McpPrompt,
    ResourceText,
    Surface,
    Tool,
    ToolAnswer,
)

NOT_REQUIRED = dict.fromkeys(
    (
        f"tasks-{name}"
        for name in (
            "lifecycle", "capability-negotiation", "wire-fields", "request-state-removal",
            "mrtr-input", "request-headers", "dispatch-and-envelope", "status-notifications",
            "required-task-error", "mrtr-composition",
        )
    ),
    "the extension for tasks, which the suite runs for visibility only",
)  # fmt: skip
"""The scenarios that no revision of the protocol requires, and why."""
_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
_NO_ARGUMENTS = {"type": "object", "properties": {}}
_REGION = {"type": "string", "x-mcp-header": "Region"}


def surface_with_expected_names() -> Surface:
    """Return the surface of a memory with the names that the suite calls."""
    own = memory_surface()
    return replace(
        own,
        tools=[
            *own.tools,
            _tool("test_simple_text", _say),
            _tool("test_logging_tool", _say),
            _tool("test_error_handling", _fail),
            _tool("json_schema_2020_12_tool", _say, _SCHEMA),
            _tool("test_x_mcp_header", _say, {"type": "object", "properties": {"region": _REGION}}),
        ],
        prompts=[*own.prompts, *_prompts()],
        resources=ResourcesWithExpectedNames(),
    )


class ResourcesWithExpectedNames(MemoryResources):
    """The resources of a memory, and those that the suite reads."""

    def listed(self, memory: Memory) -> list[dict[str, Any]]:
        text = {"uri": "test://static-text", "name": "static-text", "mimeType": "text/plain"}
        return [*super().listed(memory), text]

    def read(self, memory: Memory, uri: str) -> ResourceText:
        if uri == "test://static-text":
            return ResourceText("text/plain", "A text.")
        if uri == "test://template/123/data":
            said = {"id": "123", "templateTest": True, "data": "Data for ID: 123"}
            return ResourceText("application/json", json.dumps(said))
        return super().read(memory, uri)


def _tool(name: str, run: Any, schema: Mapping[str, Any] = _NO_ARGUMENTS) -> Tool:
    definition = {
        "name": name,
        "description": "A tool that the suite calls.",
        "inputSchema": schema,
        "annotations": {"readOnlyHint": True},
    }
    return Tool(definition=definition, run=run)


def _say(_memory: Memory, _given: Arguments) -> ToolAnswer:
    return ToolAnswer({}, text="A text.")


def _fail(_memory: Memory, _given: Arguments) -> ToolAnswer:
    raise InvalidInputError("this tool always fails")


def _prompts() -> list[McpPrompt]:
    names = [{"name": each, "description": each, "required": True} for each in ("arg1", "arg2")]
    simple = {"name": "test_simple_prompt", "description": "A prompt.", "arguments": []}
    given = {**simple, "name": "test_prompt_with_arguments", "arguments": names}
    return [
        McpPrompt(definition=simple, write=lambda _memory, _given: "A prompt."),
        McpPrompt(definition=given, write=lambda _memory, said: " ".join(said.values())),
    ]
