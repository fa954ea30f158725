"""The results of tools in the form of the protocol, also those that failed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import mcp_types as types

from erstwhile.core.errors import ErstwhileError
from erstwhile.core.logs import log_failure
from erstwhile.doors.mcp.surface import Tool

if TYPE_CHECKING:
    from erstwhile.memory import Memory

# A model that builds its validator on first use must not do so in two threads, as tools run.
for _model in (types.TextContent, types.CallToolResult):
    _model.model_rebuild()


def result_of(
    tool: Tool,
    memory: Memory,
    arguments: dict[str, Any],
    explain: Callable[[Memory, ErstwhileError], str],
) -> types.CallToolResult:
    """Run a tool. Every failure is a text that tells the model what to do."""
    try:
        answer = tool(memory, arguments)
    except ErstwhileError as error:
        return failed(explain(memory, error))
    except Exception as error:  # an unknown message may quote content, so only its class is told
        log_failure(__name__, "a tool failed: %s", tool.definition["name"], error=error)
        return failed(f"internal: unexpected {type(error).__name__}; do not repeat the call")
    text = json.dumps(answer.data, ensure_ascii=False) if answer.text is None else answer.text
    return types.CallToolResult(content=[_text(text)], structured_content=answer.data)


def failed(text: str) -> types.CallToolResult:
    """Return an error that the model reads."""
    return types.CallToolResult(content=[_text(text)], is_error=True)


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)
