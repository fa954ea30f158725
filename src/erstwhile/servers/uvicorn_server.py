"""Uvicorn with timeouts. It logs no requests: an address can contain the name of a person."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from functools import partial
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from erstwhile.servers.options import ServerOptions

_DEFAULT = ServerOptions()
_CONNECTIONS = 800
"""The most open connections of one process. The oldest idle one is closed for a new one."""
_READ_BYTES = 16 * 1024
"""The most bytes read from a connection before others have their turn, and of an incomplete head:
parsing them takes a few milliseconds."""
_MAX_CHUNKS, _CHUNK_BYTES = 50, 128
"""A body in more chunks is rejected if these have fewer bytes on average."""


class UvicornServer(uvicorn.Server):
    """Uvicorn for one application.

    At shutdown it calls `on_shutdown`, accepts nothing more, and finishes requests under way.
    """

    def __init__(
        self,
        app: ASGIApp,
        options: ServerOptions = _DEFAULT,
        on_shutdown: Callable[[], None] = lambda: None,
    ) -> None:
        protocol: Any = partial(_Protocol, options.limits.head_seconds, {})
        config = uvicorn.Config(
            app,
            http=protocol,
            h11_max_incomplete_event_size=_READ_BYTES,
            loop="asyncio",
            ws="none",
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=2 * _CONNECTIONS,
            timeout_graceful_shutdown=options.grace,
        )
        super().__init__(config)
        self._on_shutdown = on_shutdown

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._on_shutdown()
        await super().shutdown(sockets)


class _Connection(h11.Connection):
    """Rejects a body in tiny chunks: to parse one of them takes as long as to parse a request."""

    _chunks = _bytes = 0

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._chunks = self._bytes = 0
        elif isinstance(event, h11.Data):
            self._chunks += 1
            self._bytes += len(event.data)
            if self._chunks > _MAX_CHUNKS and self._bytes < self._chunks * _CHUNK_BYTES:
                raise h11.RemoteProtocolError("the chunks of the body are too small")
        return event


class _Protocol(H11Protocol):
    """A connection with a timeout for the head of a request, and a limit for connections.

    Uvicorn itself has no such timeout, and refuses new connections where old ones are idle. h11
    rejects input that could be read as two different requests.
    """

    def __init__(self, timeout: float, opened: dict[_Protocol, None], **given: Any) -> None:
        super().__init__(**given)
        self.conn = _Connection(h11.SERVER, _READ_BYTES)
        self._timeout, self._opened = timeout, opened
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        transport.max_size = _READ_BYTES
        self._opened[self] = None
        if len(self._opened) > _CONNECTIONS:
            self._close_idle()
        self._timer = self.loop.call_later(self._timeout, transport.abort)

    def _close_idle(self) -> None:
        """Close the oldest connection without a request, or else the oldest idle one."""
        idle = [each for each in self._opened if not each.cycle or each.cycle.response_complete]
        for oldest in sorted(idle, key=lambda each: each.cycle is not None)[:1]:
            del self._opened[oldest]
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._timer is None and self.conn.their_state is h11.IDLE:
            self._timer = self.loop.call_later(self._timeout, self.transport.abort)
        try:
            super().data_received(data)
        except h11.LocalProtocolError:  # the rest of a body is malformed: a response has begun
            self.transport.abort()
        if self.conn.their_state is not h11.IDLE:
            self._stop_timer()

    def connection_lost(self, error: Exception | None) -> None:
        self._stop_timer()
        self._opened.pop(self, None)
        super().connection_lost(error)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
