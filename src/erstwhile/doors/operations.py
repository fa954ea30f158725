"""What those who run a server ask: is it alive, is it ready, and how much does it do.

`/healthz` and `/readyz` need no token and answer to any host name, since load balancers ask by
address. They tell nothing but yes or no. `/metrics` needs a token without a scope.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import anyio
from anyio.to_thread import run_sync

from erstwhile.core.errors import ErstwhileError
from erstwhile.core.logs import log_failure
from erstwhile.core.scope import SHARED
from erstwhile.doors.asgi import (
    Application,
    Connection,
    GateRefusalError,
    Message,
    Receive,
    Send,
    answer,
    refuse,
)
from erstwhile.doors.gate import TOKEN
from erstwhile.doors.metrics import KIND, Metrics
from erstwhile.doors.tokens import Token

ALIVE, READY, METRICS = "/healthz", "/readyz", "/metrics"
_JSON = b"application/json"
_FRESH = 1.0
"""Seconds that an answer of `/readyz` holds: nobody can make the store busy by asking."""
_PATIENCE = 10.0


class Operations:
    """Answers the questions about the server itself, and counts all requests."""

    def __init__(
        self,
        application: Application,
        ping: Callable[[], None],
        metrics: Metrics,
        *,
        open_metrics: bool = False,
    ) -> None:
        self._application = application
        self._ping = ping
        self._metrics = metrics
        self._open_metrics = open_metrics
        self._asking = anyio.Lock()
        self._ready, self._known_until = False, 0.0

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if connection["type"] != "http":
            await self._application(connection, receive, send)
            return
        path = connection["path"]
        if path == ALIVE:
            await _answer(send, well=True)
        elif path == READY:
            await _answer(send, well=await self._is_ready())
        elif path == METRICS and self._open_metrics:
            await MetricsPage(self._metrics)(connection, receive, send)
        else:
            await self._counted(connection, receive, send)

    async def _is_ready(self) -> bool:
        """Return whether a round trip to the store works. Those who ask at once share one."""
        async with self._asking:
            if anyio.current_time() >= self._known_until:
                self._ready = await self._round_trip()
                self._known_until = anyio.current_time() + _FRESH
            return self._ready

    async def _round_trip(self) -> bool:
        try:
            with anyio.fail_after(_PATIENCE):
                await run_sync(self._ping, abandon_on_cancel=True)
        except (ErstwhileError, TimeoutError) as error:
            log_failure(__name__, "the store is not ready", error=error)
            return False
        return True

    async def _counted(self, connection: Connection, receive: Receive, send: Send) -> None:
        door = connection["path"].split("/")[1]
        known = door if door in ("mcp", "v1", "metrics") else "other"
        with self._metrics.counting(connection["method"], known) as status:

            async def sending(message: Message) -> None:
                if message["type"] == "http.response.start":
                    status.append(message["status"])
                await send(message)

            await self._application(connection, receive, sending)


class MetricsPage:
    """The page with the numbers. Behind the gate it needs a token without a scope."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    async def __call__(self, connection: Connection, _receive: Receive, send: Send) -> None:
        """Write the numbers of all workers."""
        token: Token | None = connection.get(TOKEN)
        if token is not None and token.scope != SHARED:
            told = "the numbers are about all scopes, and this token has one"
            await refuse(
                send, GateRefusalError(403, "refused", told, "use a token without a scope")
            )
            return
        await answer(send, 200, self._metrics.page(), KIND)


async def _answer(send: Send, *, well: bool) -> None:
    body = json.dumps({"status": "ok" if well else "unavailable"}).encode()
    await answer(send, 200 if well else 503, body, _JSON, [(b"cache-control", b"no-store")])
