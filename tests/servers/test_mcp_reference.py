"""The reference of the MCP server describes exactly what the server offers."""

from __future__ import annotations

import re

from scripts.docs_site import mcp_tools

from erstwhile import Memory
from erstwhile.servers.mcp.resources import memory_surface
from tests.docs.pages import PROJECT

PAGE = PROJECT / "docs" / "reference" / "mcp.md"


def test_every_tool_is_described_with_its_arguments() -> None:
    generated, page = mcp_tools.page(), PAGE.read_text("utf-8")
    for tool in memory_surface().tools:
        name, schema = tool.definition["name"], tool.definition["inputSchema"]
        assert f"| `{name}` |" in page
        section = generated.split(f"## {name}\n")[1].partition("\n## ")[0]
        for argument in schema["properties"]:
            assert re.search(rf"^\| `{argument}`( \(needed\))? \| \S.* \|$", section, re.MULTILINE)


def test_the_resources_and_prompts_are_the_ones_of_the_server(memory: Memory) -> None:
    surface, page = memory_surface(), PAGE.read_text("utf-8")
    uris = [each["uri"] for each in surface.list_resources(memory)]
    uris += [each["uriTemplate"] for each in surface.templates]
    prompts = [each.definition["name"] for each in surface.prompts]
    described = re.findall(
        r"^\| `(memory://[^`]*|\w+)` \|", page.partition("## Resources")[2], re.M
    )
    assert sorted(described) == sorted([*uris, *prompts])
