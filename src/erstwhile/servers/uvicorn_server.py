"""Uvicorn with timeouts. It logs no requests: an address can contain the name of a person."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from erstwhile.servers.options import ServerOptions

_DEFAULT = ServerOptions()
_CONNECTIONS = 1_000
"""The most open connections of one process."""


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
        config = uvicorn.Config(
            app,
            http=_protocol(options.limits.head_seconds),
            ws="none",
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=_CONNECTIONS,
            timeout_graceful_shutdown=options.grace,
        )
        super().__init__(config)
        self._on_shutdown = on_shutdown

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._on_shutdown()
        await super().shutdown(sockets)


def _protocol(timeout: float) -> type[H11Protocol]:
    """Return a protocol with a timeout for the head of a request.

    Uvicorn itself has none. h11 rejects input that could be read as two different requests.
    """

    class TimeoutProtocol(H11Protocol):
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._timer = self.loop.call_later(timeout, transport.abort)

        def data_received(self, data: bytes) -> None:
            if self._timer is None and self.conn.their_state is h11.IDLE:
                self._timer = self.loop.call_later(timeout, self.transport.abort)
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self._stop_timer()

        def connection_lost(self, error: Exception | None) -> None:
            self._stop_timer()
            super().connection_lost(error)

        def _stop_timer(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    return TimeoutProtocol
