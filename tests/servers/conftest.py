"""A memory and a clock for the servers, and a client that talks to an MCP server."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
import pytest

from erstwhile import Memory
from erstwhile.servers.mcp.resources import memory_surface
from erstwhile.servers.mcp.surface import Surface
from erstwhile.testing.clock import FakeClock
from tests.servers.talking import PATIENCE, Talk, server_for, talking


@pytest.fixture
def memory(whole_memory: Memory) -> Memory:
    return whole_memory.scoped(user="ana")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests with asyncio."""
    return "asyncio"


@pytest.fixture
def surface() -> Surface:
    return memory_surface()


@pytest.fixture
async def talk(memory: Memory, surface: Surface) -> AsyncIterator[Talk]:
    """Connect a client to a server of the memory."""
    with anyio.fail_after(PATIENCE):
        async with talking(server_for(surface, memory)) as talk:
            yield talk
