"""`erstwhile serve`: a memory over HTTP and MCP, with health checks and metrics.

`/healthz` and `/readyz` need no token and answer to any host name, since load balancers ask by
address. They tell nothing but yes or no. `/metrics` needs a token without a scope.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec

import anyio
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as AsgiScope

import erstwhile
from erstwhile.core.errors import ErstwhileError
from erstwhile.core.logs import log_failure
from erstwhile.core.scope import SHARED, Scope
from erstwhile.core.settings import Settings
from erstwhile.memory import Memory
from erstwhile.servers.app import Mounts, build_app
from erstwhile.servers.http.api import UNLIMITED_PATHS, HttpApi
from erstwhile.servers.metrics import CONTENT_TYPE, Metrics
from erstwhile.servers.middleware import TOKEN, EventStreams
from erstwhile.servers.options import ServerOptions
from erstwhile.servers.problems import forbidden, problem_response
from erstwhile.servers.tokens import Spaces, Token, TokenFile, dimensions
from erstwhile.servers.uvicorn_server import uvicorn_server

_READY_SECONDS = 1.0
"""Seconds to cache the result of `/readyz`: nobody can make the store busy by asking."""
_PING_SECONDS = 10.0


class _CountRequests:
    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        first = scope["path"].strip("/").partition("/")[0]
        known = first if first in ("mcp", "v1", "metrics") else "other"
        with self._metrics.count_request(scope["method"], known) as status:

            async def send_counted(message: Message) -> None:
                if message["type"] == "http.response.start":
                    status.append(message["status"])
                await send(message)

            await self._app(scope, receive, send_counted)


class HealthChecks:
    """Endpoints for operators: `/healthz` and `/readyz`."""

    def __init__(self, ping: Callable[[], None]) -> None:
        self._ping = ping
        self._lock = anyio.Lock()
        self._ready, self._expires = False, 0.0

    async def alive(self, _request: Request) -> Response:
        """Respond that the process runs."""
        return _health(ok=True)

    async def ready(self, _request: Request) -> Response:
        """Respond whether a round trip to the store works. Concurrent requests share one."""
        async with self._lock:
            if anyio.current_time() >= self._expires:
                self._ready = await self._round_trip()
                self._expires = anyio.current_time() + _READY_SECONDS
            return _health(ok=self._ready)

    async def _round_trip(self) -> bool:
        try:
            with anyio.fail_after(_PING_SECONDS):
                await run_sync(self._ping, abandon_on_cancel=True)
        except (ErstwhileError, TimeoutError) as error:
            log_failure(__name__, "the store is not ready", error=error)
            return False
        return True


def _health(*, ok: bool) -> Response:
    status = {"status": "ok" if ok else "unavailable"}
    return JSONResponse(status, 200 if ok else 503, {"Cache-Control": "no-store"})


def _metrics_route(metrics: Metrics) -> Route:
    async def page(request: Request) -> Response:
        token: Token | None = request.scope.get(TOKEN)
        if token is not None and token.scope != SHARED:
            message = "metrics are about all scopes, and this token has one"
            return problem_response(forbidden(message, "use a token without a scope"))
        return Response(metrics.page(), media_type=CONTENT_TYPE)

    return Route("/metrics", page)


def serve(
    location: str,
    settings: Settings,
    scope: Scope,
    tokens: TokenFile,
    options: ServerOptions,
    listening: socket.socket,
) -> None:
    """Open a memory and serve it, within a scope, until a signal comes."""

    def open_space(space: str) -> Memory:
        return erstwhile.open(location, settings=replace(settings, space=space))

    metrics, streams = Metrics(), EventStreams()
    with erstwhile.open(location, settings=settings) as store:
        spaces = Spaces(store.scoped(**dimensions(scope)), settings.space, open_space)
        health = HealthChecks(store.ping)
        routes = [Route("/healthz", health.alive), Route("/readyz", health.ready)]
        if options.open_metrics:
            routes.append(_metrics_route(metrics))
        app = build_app(
            _mounts(metrics, stateless=options.workers > 1),
            tokens,
            spaces.memory_of,
            options,
            streams=streams,
            routes=routes,
            wrap=lambda app: _CountRequests(app, metrics),
        )
        server = uvicorn_server(
            app, grace=options.grace, limits=options.limits, on_shutdown=streams.end
        )
        try:
            server.run(sockets=[listening])
        finally:
            spaces.close()


def _mounts(metrics: Metrics, *, stateless: bool) -> Mounts:
    """Return the applications whose packages are installed."""
    by_path: dict[str, ASGIApp] = {"/metrics": _metrics_route(metrics), "/v1": HttpApi()}
    if find_spec("mcp") is None:
        return Mounts(by_path=by_path, unlimited_paths=UNLIMITED_PATHS)
    from erstwhile.servers.mcp.http import PATH, McpApp, protocol_server  # an extra of its own
    from erstwhile.servers.mcp.resources import memory_surface

    mcp = McpApp(protocol_server(memory_surface(), stateless=stateless), stateless=stateless)
    return Mounts(
        by_path={**by_path, PATH: mcp}, lifespans=[mcp.lifespan], unlimited_paths=UNLIMITED_PATHS
    )
