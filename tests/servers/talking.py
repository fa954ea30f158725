"""A real MCP client that talks to a server: in this process, or in one of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.server.lowlevel import Server

from erstwhile import Memory
from erstwhile.servers.mcp.server import MemoryServer
from erstwhile.servers.mcp.surface import Surface

ERAS = {"2026-07-28": "auto", "2025-11-25": "legacy"}
"""Each era of the protocol, and how the client asks for it."""
CLIENT = types.Implementation(name="test-client", version="1")
PATIENCE = 120.0


class ToolError(Exception):
    """The tool answered with an error."""


class Talk:
    """One session of a client."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def answer(self, tool: str, /, **arguments: Any) -> types.CallToolResult:
        """Call a tool and return its whole answer."""
        answer = await self.client.call_tool(tool, arguments)
        assert isinstance(answer, types.CallToolResult)
        return answer

    async def __call__(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool and return its structured answer. Raise ToolError with the error text."""
        answer = await self.answer(tool, **arguments)
        if answer.is_error:
            raise ToolError(text_of(answer))
        return answer.structured_content

    async def failure(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that must fail, and return what it says."""
        answer = await self.answer(tool, **arguments)
        assert answer.is_error
        return text_of(answer)


def text_of(answer: types.CallToolResult) -> str:
    """Return the text of an answer."""
    [part] = answer.content
    assert isinstance(part, types.TextContent)
    return part.text


def server_for(surface: Surface, memory: Memory) -> Server[Any]:
    """Return a server of this process for one memory."""
    return MemoryServer(surface, memory).protocol_server()


def command(*words: str, db: Path, **environment: str) -> StdioServerParameters:
    """Return how a client starts `erstwhile mcp` with some options."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "erstwhile", "--db", str(db), "--embedder", "none", *words],
        env={**os.environ, **environment},
    )


@asynccontextmanager
async def talking(server: Any, mode: str = "auto") -> AsyncIterator[Talk]:
    """Connect a client to a server, or to the command that starts one."""
    async with Client(server, mode=mode, client_info=CLIENT) as client:
        yield Talk(client)


def run_talk(server: Any, story: Callable[[Talk], Awaitable[None]], mode: str = "auto") -> None:
    """Run a session from its beginning to its end, with a limit of time."""

    async def session() -> None:
        with anyio.fail_after(PATIENCE):
            async with talking(server, mode) as talk:
                await story(talk)

    anyio.run(session)
