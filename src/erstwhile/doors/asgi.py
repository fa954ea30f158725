"""The types of the Asynchronous Server Gateway Interface (ASGI), and answers without a framework.

A refusal is a problem document (RFC 9457) with the code of an error of this project, so that a
client can raise the same error again.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http import HTTPStatus
from typing import Any, TypeAlias

import anyio

Connection: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Connection, Receive, Send], Awaitable[None]]
Header: TypeAlias = tuple[bytes, bytes]
_LINGERING = 2.0
_DISCARDED = 16 * 1024 * 1024
"""The seconds and the bytes of a refused body that are waited for."""


class GateRefusalError(Exception):
    """A request that may not pass: the status, what is wrong, and what to do."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        remedy: str = "",
        headers: tuple[Header, ...] = (),
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.remedy = remedy
        self.headers = headers

    @property
    def document(self) -> dict[str, Any]:
        """The problem document."""
        told = {
            "type": f"urn:erstwhile:error:{self.code}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            "remedy": self.remedy,
        }
        return {name: value for name, value in told.items() if value}


async def refuse(send: Send, refusal: GateRefusalError, receive: Receive | None = None) -> None:
    """Answer with a problem document and end the connection.

    A client that is still sending its body would not see the answer, so with `receive` a part of
    the body is read and thrown away before the end.
    """
    await answer(
        send,
        refusal.status,
        json.dumps(refusal.document).encode(),
        b"application/problem+json",
        (*refusal.headers, (b"connection", b"close")),
        complete=receive is None,
    )
    if receive is not None:
        await _discard(receive)
        await send({"type": "http.response.body", "body": b""})


async def _discard(receive: Receive) -> None:
    left = _DISCARDED
    with anyio.move_on_after(_LINGERING):
        while left > 0:
            message = await receive()
            if not message.get("more_body", False):
                return
            left -= len(message.get("body", b""))


async def answer(
    send: Send,
    status: int,
    body: bytes,
    kind: bytes,
    headers: Iterable[Header] = (),
    *,
    complete: bool = True,
) -> None:
    """Send a whole answer; if it is not `complete`, its end is still to be sent."""
    usual = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*usual, *headers]})
    await send({"type": "http.response.body", "body": body, "more_body": not complete})


def header_values(connection: Connection, name: bytes) -> list[str]:
    """Return the values of a header, in any letter case."""
    return [
        value.decode("latin-1") for each, value in connection["headers"] if each.lower() == name
    ]


def header_value(connection: Connection, name: bytes) -> str | None:
    """Return the first value of a header."""
    return next(iter(header_values(connection, name)), None)
