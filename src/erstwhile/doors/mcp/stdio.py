"""The MCP server over standard input and output, for the client that started it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
from mcp.server.stdio import stdio_server

from erstwhile.doors.mcp.server import MemoryServer
from erstwhile.doors.mcp.surface import Surface

if TYPE_CHECKING:
    from erstwhile.memory import Memory


def serve_stdio(surface: Surface, memory: Memory) -> None:
    """Serve one client over standard input and output, until it closes them."""
    server = MemoryServer(surface, lambda _: memory).protocol_server()

    async def run() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(run)
