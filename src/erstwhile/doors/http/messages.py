"""Requests that the gate let in, and answers: whole ones, and streams."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from erstwhile.doors.asgi import Receive, Send
from erstwhile.doors.http.refusals import malformed
from erstwhile.doors.tokens import Token

if TYPE_CHECKING:
    from erstwhile.memory import Memory

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer: a body, or a stream of its parts."""

    status: int
    body: bytes
    kind: str = JSON
    headers: Mapping[str, str] | None = None
    stream: AsyncIterator[bytes] | None = None


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request that the gate let in."""

    token: Token
    memory: Memory
    """The memory in the scope of the token."""
    headers: Mapping[str, str]
    query: bytes
    receive: Receive

    async def parts(self) -> AsyncIterator[bytes]:
        """Yield the parts of the body. Raise HttpRefusalError if the client hangs up before."""
        more = True
        while more:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise malformed("the body is not complete")
            yield message.get("body", b"")
            more = message.get("more_body", False)


async def send_whole(answer: HttpAnswer, send: Send) -> None:
    """Send an answer with its length."""
    await _start(answer, send, {"content-length": str(len(answer.body))})
    await send({"type": "http.response.body", "body": answer.body})


async def send_parts(answer: HttpAnswer, receive: Receive, send: Send) -> None:
    """Send a stream until it ends, or the client hangs up."""
    assert answer.stream is not None  # noqa: S101 (the caller looked)
    await _start(answer, send, {})
    async with anyio.create_task_group() as group:

        async def wait_for_the_end() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            group.cancel_scope.cancel()

        group.start_soon(wait_for_the_end)
        async for part in answer.stream:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        group.cancel_scope.cancel()


async def begun(stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Return a stream whose first part is there, so that its errors are answers and not breaks."""
    first = await anext(stream, b"")

    async def parts() -> AsyncIterator[bytes]:
        yield first
        async for part in stream:
            yield part

    return parts()


async def _start(answer: HttpAnswer, send: Send, more: Mapping[str, str]) -> None:
    headers = {"content-type": answer.kind, **more, **(answer.headers or {})}
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": raw})
