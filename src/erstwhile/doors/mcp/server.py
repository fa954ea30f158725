"""The MCP server: answers the requests of clients from a surface and a memory.

The low-level server of the SDK speaks both eras of the protocol: with a handshake, and stateless.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

import mcp_types as types
from anyio.to_thread import run_sync
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from erstwhile.core.errors import ErstwhileError
from erstwhile.core.logs import log_failure
from erstwhile.doors.mcp.surface import Surface, Tool, ToolAnswer
from erstwhile.facts.fact import Fact
from erstwhile.integrations.record_lines import explained
from erstwhile.memory import Memory

Request: TypeAlias = ServerRequestContext[Any, Any]
MemoryOf: TypeAlias = Callable[[Request], Memory]
"""Returns the memory in the scope of a request: the client has no say in it."""
_UNNAMED = "mcp"


class MemoryServer:
    """Answers requests about a memory."""

    def __init__(self, surface: Surface, memory_of: MemoryOf) -> None:
        self._surface = surface
        self._memory_of = memory_of
        self._tools = [types.Tool.model_validate(each.definition) for each in surface.tools]

    def protocol_server(self) -> Server[Any]:
        """Return the SDK's server with this one's answers."""
        return Server(
            self._surface.name,
            version=self._surface.version,
            instructions=self._surface.instructions,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )

    async def _list_tools(self, _request: Request, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._tools)

    async def _call_tool(
        self, request: Request, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = self._surface.tool(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        memory = self._memory(request)
        return await run_sync(_result, tool, memory, params.arguments or {})

    def _memory(self, request: Request) -> Memory:
        """Return the memory of a request; its changes carry the name of the client."""
        return self._memory_of(request).acting_as(_actor(request))


def _result(tool: Tool, memory: Memory, arguments: dict[str, Any]) -> types.CallToolResult:
    """Run a tool. Every failure is a text that tells the model what to do."""
    try:
        return _answered(tool(memory, arguments))
    except ErstwhileError as error:
        return _failed(f"{error.code}: {explained(memory, error, line=_choice)}")
    except Exception as error:  # an unknown message may quote content, so only its class is told
        log_failure(__name__, "a tool failed: %s", tool.definition["name"], error=error)
        return _failed(f"internal: unexpected {type(error).__name__}; do not repeat the call")


def _answered(answer: ToolAnswer) -> types.CallToolResult:
    text = json.dumps(answer.data, ensure_ascii=False) if answer.text is None else answer.text
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=answer.data
    )


def _failed(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


def _choice(fact: Fact) -> str:
    return f"- {fact.short_id}: {' '.join(fact.text.split())}"


def _actor(request: Request) -> str:
    """Return the name in the audit trail: `mcp:` and what the client calls itself."""
    client = request.session.client_params
    name = " ".join(client.client_info.name.split())[:100] if client else ""
    return f"{_UNNAMED}:{name}" if name.isprintable() and name else _UNNAMED
