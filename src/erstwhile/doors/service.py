"""Several doors on one port, behind one gate."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from erstwhile.doors.asgi import Application, Connection, GateRefusalError, Receive, Send, refuse
from erstwhile.doors.event_streams import EventStreams
from erstwhile.doors.gate import Gate
from erstwhile.doors.limits import Limits
from erstwhile.doors.origins import Origins
from erstwhile.doors.tokens import Token, TokenFile

if TYPE_CHECKING:
    from erstwhile.memory import Memory

Running: TypeAlias = Callable[[], AbstractAsyncContextManager[None]]
"""What must be entered while a door serves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """The applications of a server by the first part of their paths, and what they need to run."""

    by_path: Mapping[str, Application]
    running: Sequence[Running] = ()
    streamed: frozenset[str] = frozenset()
    """The paths whose bodies may have any size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """Whom a server answers, and how much."""

    origins: Origins = field(default_factory=Origins)
    limits: Limits = field(default_factory=Limits)
    streams: EventStreams = field(default_factory=EventStreams)
    """The event streams that are open now; they end first when the server ends."""


def gated(
    doors: Doors, tokens: TokenFile, memory_of: Callable[[Token], Memory], policies: Policies
) -> Application:
    """Return the doors behind one gate, as one ASGI application."""
    gate = Gate(
        _switch(doors.by_path),
        tokens,
        memory_of,
        origins=policies.origins,
        limits=policies.limits,
        streamed=doors.streamed,
        streams=policies.streams,
    )

    async def application(connection: Connection, receive: Receive, send: Send) -> None:
        if connection["type"] == "lifespan":
            await _live(receive, send, doors.running)
        else:
            await gate(connection, receive, send)

    return application


def _switch(by_path: Mapping[str, Application]) -> Application:
    """Return the application that passes a request on by the first part of its path."""

    async def choose(connection: Connection, receive: Receive, send: Send) -> None:
        path = connection["path"]
        found = by_path.get(path) or by_path.get(f"/{path.split('/')[1]}")
        if found is None:
            await refuse(send, GateRefusalError(404, "not_found", "there is nothing at this path"))
        else:
            await found(connection, receive, send)

    return choose


async def _live(receive: Receive, send: Send, running: Sequence[Running]) -> None:
    """Answer the two messages of ASGI about the life of a server."""
    await receive()
    async with _all_running(running):
        await send({"type": "lifespan.startup.complete"})
        await receive()
    await send({"type": "lifespan.shutdown.complete"})


@asynccontextmanager
async def _all_running(running: Sequence[Running]) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for each in running:
            await stack.enter_async_context(each())
        yield
