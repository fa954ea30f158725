"""Tools, resources and prompts of a server, independent of the protocol.

The definitions for models are in JSON files beside this module.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from erstwhile.core.errors import ErstwhileError
from erstwhile.tools.tool import Tool, explain_to_model

if TYPE_CHECKING:
    from erstwhile.memory import Memory


def read_text(name: str) -> str:
    """Return the text of a file of this package."""
    return files(__package__).joinpath(name).read_text("utf-8")


def read_json(name: str) -> Any:
    """Return the content of a JSON file of this package."""
    return json.loads(read_text(name))


class ResourceText(NamedTuple):
    """The content of a resource."""

    mime_type: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class McpPrompt:
    """A prompt: its definition as in the protocol, and the function for its text."""

    definition: Mapping[str, Any]
    write: Callable[[Memory, Mapping[str, str]], str]


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
