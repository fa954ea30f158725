"""Reference page of the tools of the MCP server, from their definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from erstwhile.servers.mcp.resources import memory_surface

_HINTS = {
    "readOnlyHint": "reads only",
    "destructiveHint": "may replace or hide",
    "idempotentHint": "may be repeated",
}


def page() -> str:
    tools = memory_surface().tools
    return "\n".join(
        ("# MCP tools", "", *(line for tool in tools for line in _tool(tool.definition)))
    )


def _tool(tool: Mapping[str, Any]) -> Iterator[str]:
    hints = [words for name, words in _HINTS.items() if tool["annotations"][name]]
    yield from (f"## {tool['name']}", "", tool["description"], "")
    yield from (f"Hints: {', '.join(hints) or 'only adds'}.", "")
    yield from ("| argument | |", "|---|---|")
    required = tool["inputSchema"]["required"]
    for name, schema in tool["inputSchema"]["properties"].items():
        items = schema.get("items", schema)
        choices = ", ".join(f"`{each}`" for each in items.get("enum", ()))
        said = " ".join(part for part in (schema.get("description", ""), choices) if part)
        yield f"| `{name}`{' (needed)' if name in required else ''} | {said} |"
    answer = ", ".join(f"`{name}`" for name in tool["outputSchema"]["properties"])
    yield from ("", f"Answer: {answer}.", "")
