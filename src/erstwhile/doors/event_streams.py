"""The answers that stream events: how many there may be, and when they end.

They can go on for long after the server should end, or after their token was revoked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio

from erstwhile.doors.asgi import Connection, GateRefusalError, Message, Send, header_value, refuse
from erstwhile.doors.limits import Limits, too_busy

_RETRY = 10
"""Seconds after which a client that got no stream may try again."""
_LISTENING = "subscriptions/listen"
"""The method of MCP whose answer is a stream of events. All other answers to a POST end soon."""


class EventStreams:
    """The event streams that are open now, each with the digest of its token."""

    def __init__(self) -> None:
        self._open: dict[anyio.CancelScope, str] = {}

    def end(self) -> None:
        """End all of them."""
        for scope in self._open:
            scope.cancel()

    async def serve(
        self,
        answering: Callable[[Send], Awaitable[None]],
        send: Send,
        *,
        token: str,
        is_open: Callable[[], bool],
        limits: Limits,
    ) -> None:
        """Run what answers a request. If it answers with an event stream, limit and end that.

        A stream ends with the server, and before its next part once `is_open` is false.
        """
        refused = False

        async def sending(message: Message) -> None:
            nonlocal refused
            if refused or (scope in self._open and not is_open()):
                scope.cancel()
                return  # the stream ends where it waits next, and closes what it has open
            if is_event_stream(message):
                try:
                    self._check_room(token, limits)
                except GateRefusalError as refusal:
                    refused = True
                    await refuse(send, refusal)
                    scope.cancel()
                    return
                self._open[scope] = token
            await send(message)

        with anyio.CancelScope() as scope:
            try:
                await answering(sending)
            finally:
                self._open.pop(scope, None)
        if scope.cancelled_caught and not refused:  # the client comes back by itself
            await send({"type": "http.response.body", "body": b""})

    def _check_room(self, token: str, limits: Limits) -> None:
        if list(self._open.values()).count(token) >= limits.streams_of_token:
            raise too_busy(429, "this token has too many event streams open", _RETRY)
        if len(self._open) >= limits.streams:
            raise too_busy(429, "too many event streams are open", _RETRY)


def may_stream_events(connection: Connection) -> bool:
    """Return whether the answer to a request may be an event stream that lasts.

    A call of a tool over MCP can be answered by a stream, too; that one ends with the call.
    """
    listens = header_value(connection, b"mcp-method") == _LISTENING
    return connection["method"] == "GET" or listens


def is_event_stream(message: Message) -> bool:
    """Return whether a message begins an answer that streams events."""
    if message["type"] != "http.response.start":
        return False
    kind: bytes = dict(message["headers"]).get(b"content-type", b"")
    return kind.startswith(b"text/event-stream")
