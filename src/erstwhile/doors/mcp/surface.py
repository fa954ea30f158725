"""What a server offers to its clients: tools, resources and prompts, free of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from erstwhile.integrations.tool_calls import check_arguments
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """All that one server offers."""

    name: str
    version: str
    instructions: str | None = None
    tools: Sequence[Tool] = field(default=())

    def tool(self, name: str) -> Tool | None:
        """Return the tool with a name."""
        return next((each for each in self.tools if each.definition["name"] == name), None)
