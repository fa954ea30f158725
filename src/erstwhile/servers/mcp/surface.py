"""Tools, resources and prompts of a server, independent of the protocol.

The definitions for models are in JSON files beside this module.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from erstwhile.core.errors import ErstwhileError
from erstwhile.integrations.tool_calls import check_arguments, explained

if TYPE_CHECKING:
    from erstwhile.facts.fact import Fact
    from erstwhile.memory import Memory

Arguments: TypeAlias = Mapping[str, Any]


def read_text(name: str) -> str:
    """Return the text of a file of this package."""
    return files(__package__).joinpath(name).read_text("utf-8")


def read_json(name: str) -> Any:
    """Return the content of a JSON file of this package."""
    return json.loads(read_text(name))


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """Result of a tool: data, and a text for clients that only show text (default: the JSON)."""

    data: dict[str, Any]
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool: its definition as in the protocol, and its function."""

    definition: Mapping[str, Any]
    run: Callable[[Memory, Arguments], ToolAnswer]

    def reads_only(self, arguments: Arguments) -> bool:
        """Return whether a call changes nothing: the tool never does, or this action of it."""
        if self.definition["annotations"]["readOnlyHint"]:
            return True
        return arguments.get("action") in self.definition.get("reads", ())

    def __call__(self, memory: Memory, arguments: Arguments) -> ToolAnswer:
        """Check the arguments and run the tool."""
        check_arguments(self.definition["name"], self.definition["inputSchema"], arguments)
        return self.run(memory, arguments)


class ResourceText(NamedTuple):
    """The content of a resource."""

    mime_type: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class McpPrompt:
    """A prompt: its definition as in the protocol, and the function for its text."""

    definition: Mapping[str, Any]
    write: Callable[[Memory, Mapping[str, str]], str]


def explain_to_model(memory: Memory, error: ErstwhileError) -> str:
    """Return the code of an error, the reason, and the remedy."""

    def choice(fact: Fact) -> str:
        return f"- {fact.short_id}: {' '.join(fact.text.split())}"

    return f"{error.code}: {explained(memory, error, line=choice)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """Everything that one server offers."""

    tools: Sequence[Tool]
    list_resources: Callable[[Memory], Sequence[Mapping[str, Any]]]
    read_resource: Callable[[Memory, str], ResourceText]
    """Returns the resource at a URI, or raises NotFoundError."""
    templates: Sequence[Mapping[str, Any]] = ()
    prompts: Sequence[McpPrompt] = ()
    instructions: str | None = None
    explain: Callable[[Memory, ErstwhileError], str] = explain_to_model
    """Describes an error to the client."""
