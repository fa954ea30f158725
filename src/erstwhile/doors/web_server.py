"""The web server under all doors over HTTP: uvicorn, with an end to every wait.

It logs no request: an address can hold the name of a person.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from erstwhile.doors.asgi import Application
from erstwhile.doors.limits import Limits

_GRACE = 5
_CONNECTIONS = 1_000
"""The most open connections of one process. Further ones are refused."""


class EndingServer(uvicorn.Server):
    """A web server that tells when it begins to end."""

    def __init__(self, config: uvicorn.Config, ending: Callable[[], None]) -> None:
        super().__init__(config)
        self._ending = ending

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._ending()
        await super().shutdown(sockets)


def web_server(
    application: Application,
    *,
    grace: int = _GRACE,
    limits: Limits | None = None,
    ending: Callable[[], None] = lambda: None,
) -> uvicorn.Server:
    """Return the web server for an application.

    When it ends, it calls `ending` and accepts nothing more. Requests under way have `grace`
    seconds to finish.
    """
    config = uvicorn.Config(
        application,
        http=_protocol((limits or Limits()).head_seconds),
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=grace,
    )
    return EndingServer(config, ending)


def _protocol(patience: float) -> type[H11Protocol]:
    """Return the protocol that hangs up if the head of a request does not come in time.

    uvicorn itself waits for ever. h11 refuses what could be read as two different requests.
    """

    class PatientProtocol(H11Protocol):
        _waiting: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._waiting = self.loop.call_later(patience, transport.abort)

        def data_received(self, data: bytes) -> None:
            if self._waiting is None and self.conn.their_state is h11.IDLE:
                self._waiting = self.loop.call_later(patience, self.transport.abort)
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self._stop_waiting()

        def connection_lost(self, error: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(error)

        def _stop_waiting(self) -> None:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None

    return PatientProtocol
