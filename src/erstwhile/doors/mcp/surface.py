"""What a server offers to its clients: tools, resources and prompts, free of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from erstwhile.integrations.record_lines import explained
from erstwhile.integrations.tool_calls import check_arguments

if TYPE_CHECKING:
    from erstwhile.core.errors import ErstwhileError
    from erstwhile.facts.fact import Fact
    from erstwhile.memory import Memory

Arguments: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The result of a tool: data, and the text for clients that show text only.

    Without a text, the data is shown as JSON.
    """

    data: dict[str, Any]
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool, as it is described to a model, and the function that runs it."""

    definition: Mapping[str, Any]
    """Its name, description, schemas and hints, as the protocol spells them."""
    run: Callable[[Memory, Arguments], ToolAnswer]

    @property
    def reads_only(self) -> bool:
        return bool(self.definition["annotations"]["readOnlyHint"])

    def __call__(self, memory: Memory, arguments: Arguments) -> ToolAnswer:
        """Check the arguments and run the tool."""
        check_arguments(self.definition["name"], self.definition["inputSchema"], arguments)
        return self.run(memory, arguments)


def explain_to_model(memory: Memory, error: ErstwhileError) -> str:
    """Return the kind of an error, the reason, and what to do."""
    return f"{error.code}: {explained(memory, error, line=_choice)}"


def _choice(fact: Fact) -> str:
    return f"- {fact.short_id}: {' '.join(fact.text.split())}"


class ResourceText(NamedTuple):
    """The content of a resource."""

    mime_type: str
    text: str


class Resources(Protocol):
    """The resources of a server, by their addresses."""

    @property
    def templates(self) -> Sequence[Mapping[str, Any]]:
        """The patterns of further addresses, as the protocol spells them."""

    def listed(self, memory: Memory) -> Sequence[Mapping[str, Any]]:
        """Return the resources of a memory, as the protocol spells them."""

    def read(self, memory: Memory, uri: str) -> ResourceText:
        """Return a resource, or raise NotFoundError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPrompt:
    """A prompt, as it is described to a client, and the function that writes it."""

    definition: Mapping[str, Any]
    write: Callable[[Memory, Mapping[str, str]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """All that one server offers."""

    name: str
    version: str
    resources: Resources
    tools: Sequence[Tool]
    prompts: Sequence[WrittenPrompt] = ()
    instructions: str | None = None
    explain: Callable[[Memory, ErstwhileError], str] = explain_to_model
    """Writes an error for the client."""

    def tool(self, name: str) -> Tool | None:
        """Return the tool with a name."""
        return next((each for each in self.tools if each.definition["name"] == name), None)

    def prompt(self, name: str) -> WrittenPrompt | None:
        """Return the prompt with a name."""
        return next((each for each in self.prompts if each.definition["name"] == name), None)
