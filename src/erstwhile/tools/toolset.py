"""The tools of a memory for function calling: definitions for each provider, and their calls."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from erstwhile.core.errors import ErstwhileError, InvalidInputError
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.tools.tool import Arguments, Tool, ToolAnswer, explain_to_model
from erstwhile.tools.views import record_schemas

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_REFERENCE = re.compile(r'"#/\$defs/(\w+)"')
_STYLES: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "openai": lambda tool: {"type": "function", "function": _function(tool)},
    "responses": lambda tool: {"type": "function", **_function(tool), "strict": False},
    "anthropic": lambda tool: {**_named(tool), "input_schema": tool["inputSchema"]},
    "json": lambda tool: _function(tool),
}
"""The forms of a definition: OpenAI's chat completions and responses, Anthropic's, JSON schema."""


@public_record
class ToolResult(PublicRecord):
    """The answer to a call: a text for the model, and the data in it.

    `failed` means that nothing was changed; the text says why.
    """

    text: str
    failed: bool = False
    data: Mapping[str, Any] | None = field(default=None, hash=False)


class Toolset:
    """Tools of a memory for a language model: facts, blocks, decisions and tasks.

    The model acts as an agent: the guard checks what it writes, and it cannot undo what a person
    did. `groups` are the tools that it gets; all by default.
    """

    def __init__(self, memory: Memory, groups: Sequence[str] | None = None) -> None:
        self._memory = memory.acting_as(person=False)
        self._tools = {tool.name: tool for tool in memory_tools(groups)}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools."""
        return tuple(self._tools)

    def definitions(self, style: str = "openai") -> list[dict[str, Any]]:
        """Return the tools in the form of a provider: openai, responses, anthropic or json."""
        return _in_style(self._tools.values(), style)

    def call(self, name: str, arguments: Mapping[str, Any] | str) -> ToolResult:
        """Run a call of the model; its arguments are an object or the JSON text of one.

        A wrong call is no exception: the result has `failed`, and a text that says how to call.
        """
        try:
            tool = self._tools.get(name)
            if tool is None:
                raise InvalidInputError(
                    f"unknown tool {name!r}", remedy=f"use {', '.join(self._tools)}"
                )
            answer = tool(self._memory, _parsed(arguments))
        except ErstwhileError as error:
            return ToolResult(text=explain_to_model(self._memory, error), failed=True)
        text = json.dumps(answer.data, ensure_ascii=False) if answer.text is None else answer.text
        return ToolResult(text=text, data=answer.data)

    def answer(self, call: Any) -> dict[str, Any]:
        """Run a call as a provider's SDK or JSON gives it, and return the message for the answer.

        It takes a tool call of OpenAI's chat completions or responses, or a tool_use block of
        Anthropic's messages.
        """
        if function := _field(call, "function"):
            result = self.call(_field(function, "name"), _field(function, "arguments"))
            return {"role": "tool", "tool_call_id": _field(call, "id"), "content": result.text}
        if number := _field(call, "call_id"):
            result = self.call(_field(call, "name"), _field(call, "arguments"))
            return {"type": "function_call_output", "call_id": number, "output": result.text}
        if _field(call, "type") != "tool_use":
            raise InvalidInputError(
                "this is not a tool call of OpenAI or Anthropic",
                remedy="pass one call, or use `call` with the name and the arguments",
            )
        result = self.call(_field(call, "name"), _field(call, "input"))
        made = {"type": "tool_result", "tool_use_id": _field(call, "id"), "content": result.text}
        return {**made, "is_error": True} if result.failed else made


def _field(value: Any, name: str) -> Any:
    """Return a field of a dictionary, or an attribute of an object."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _parsed(arguments: Mapping[str, Any] | str) -> Mapping[str, Any]:
    if not isinstance(arguments, str):
        return arguments
    try:
        parsed = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        raise InvalidInputError(
            "the arguments are not valid JSON", remedy="call again with one JSON object"
        ) from None
    return parsed  # type: ignore[no-any-return]  # the tool checks that it is an object


def tool_definitions(
    style: str = "openai", groups: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Return the tools of every memory in the form of a provider, as `Toolset.definitions`."""
    return _in_style(memory_tools(groups), style)


def _in_style(tools: Iterable[Tool], style: str) -> list[dict[str, Any]]:
    if style not in _STYLES:
        raise InvalidInputError(f"unknown style {style!r}", remedy=f"use {', '.join(_STYLES)}")
    return [_STYLES[style](tool.definition) for tool in tools]


def _named(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": tool["name"], "description": tool["description"]}


def _function(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {**_named(tool), "parameters": tool["inputSchema"]}


def memory_tools(groups: Collection[str] | None = None) -> list[Tool]:
    check_groups(groups or ())
    return [_tool(each) for each in _definitions() if groups is None or each["group"] in groups]


def check_groups(groups: Iterable[str]) -> tuple[str, ...]:
    """Return all groups of tools, and raise InvalidInputError if one of these is none."""
    every = tuple(dict.fromkeys(each["group"] for each in _definitions()))
    if unknown := sorted(set(groups) - set(every)):
        raise InvalidInputError(
            f"there is no group of tools {unknown[0]!r}", remedy=f"use {', '.join(every)}"
        )
    return every


def _tool(described: Mapping[str, Any]) -> Tool:
    definition = {name: value for name, value in described.items() if name != "group"}
    name, schema = definition["name"], definition["outputSchema"]
    named = set(_REFERENCE.findall(json.dumps(schema)))
    used = {record: each for record, each in record_schemas().items() if record in named}

    def run(memory: Memory, given: Arguments) -> ToolAnswer:
        # Imported with the first call: a client waits for the start of its server.
        actions = import_module("erstwhile.tools.actions")
        answer: ToolAnswer = getattr(actions, name)(memory, given)
        return answer

    return Tool(definition={**definition, "outputSchema": {**schema, "$defs": used}}, run=run)


@cache
def _definitions() -> list[dict[str, Any]]:
    """Return the definitions of all tools, as in MCP, each with its group."""
    text = Path(__file__).with_name("tools.json").read_text("utf-8")
    definitions: list[dict[str, Any]] = json.loads(text)
    return definitions
