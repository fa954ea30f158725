"""The reference of the MCP server describes exactly what the server offers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from erstwhile import Memory
from erstwhile.servers.mcp.resources import memory_surface
from tests.docs.pages import PROJECT

PAGE = PROJECT / "docs" / "reference" / "mcp.md"
_HINTS = {
    "readOnlyHint": "reads only",
    "destructiveHint": "may replace or hide",
    "idempotentHint": "may be repeated",
}


def tools_section() -> str:
    """Return the section about tools, as the page should have it."""
    return "\n".join(line for tool in memory_surface().tools for line in _tool(tool.definition))


def _tool(tool: Mapping[str, Any]) -> Iterator[str]:
    hints = [words for name, words in _HINTS.items() if tool["annotations"][name]]
    yield from (f"### `{tool['name']}`", "", tool["description"], "")
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


def test_the_tools_are_the_ones_of_the_server() -> None:
    """Print the right section with: python -m tests.servers.test_mcp_reference"""
    [written] = re.findall(
        r"^## Tools$.*?\n(### .*?)(?=^## |\Z)", PAGE.read_text("utf-8"), re.M | re.S
    )
    assert written.strip() == tools_section().strip()


def test_the_resources_and_prompts_are_the_ones_of_the_server(memory: Memory) -> None:
    surface, page = memory_surface(), PAGE.read_text("utf-8")
    uris = [each["uri"] for each in surface.list_resources(memory)]
    uris += [each["uriTemplate"] for each in surface.templates]
    prompts = [each.definition["name"] for each in surface.prompts]
    described = re.findall(
        r"^\| `(memory://[^`]*|\w+)` \|", page.partition("## Resources")[2], re.M
    )
    assert sorted(described) == sorted([*uris, *prompts])


if __name__ == "__main__":
    print(tools_section())
