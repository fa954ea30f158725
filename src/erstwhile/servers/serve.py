"""`erstwhile serve`: a memory over HTTP and MCP, with health checks and metrics.

`/healthz`, `/readyz` and the reference of the API (`/docs`) need no token and answer to any host
name, since load balancers ask by address. They tell nothing about the memory. `/metrics` needs a
token without a scope.
"""

from __future__ import annotations

import gc
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from threading import Thread

import anyio
from anyio.to_thread import run_sync
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, Router
from starlette.types import ASGIApp, Lifespan

import erstwhile
from erstwhile.core.errors import ErstwhileError
from erstwhile.core.logs import log_failure
from erstwhile.core.scope import SHARED, Scope, dimensions_of
from erstwhile.core.settings import Settings
from erstwhile.memory import Memory
from erstwhile.servers.app import build_app
from erstwhile.servers.console import console_routes
from erstwhile.servers.http.api import HttpApi
from erstwhile.servers.http.openapi import docs_routes
from erstwhile.servers.metrics import Metrics
from erstwhile.servers.middleware import EventStreams
from erstwhile.servers.options import TOKEN, ServerOptions
from erstwhile.servers.problems import forbidden, problem_response
from erstwhile.servers.tokens import Spaces, Token, TokenFile, store_name
from erstwhile.servers.uvicorn_server import UvicornServer

_READY_SECONDS = 1.0
"""Seconds to cache the result of `/readyz`: nobody can make the store busy by asking."""
_PING_SECONDS = 10.0
_SWITCH_SECONDS = 0.0005
"""Seconds that a thread may compute while others wait. A light call changes threads some thirty
times, and each time it would wait so long for a search of somebody else."""


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
                try:
                    with anyio.fail_after(_PING_SECONDS):
                        await run_sync(self._ping, abandon_on_cancel=True)
                    self._ready = True
                except (ErstwhileError, TimeoutError) as error:
                    log_failure(__name__, "the store is not ready", error=error)
                    self._ready = False
                self._expires = anyio.current_time() + _READY_SECONDS
            return _health(ok=self._ready)


def _health(*, ok: bool) -> Response:
    status = {"status": "ok" if ok else "unavailable"}
    return JSONResponse(status, 200 if ok else 503, {"Cache-Control": "no-store"})


def _metrics_route(metrics: Metrics) -> Route:
    async def page(request: Request) -> Response:
        token: Token | None = request.scope.get(TOKEN)
        if token is not None and token.scope != SHARED:
            message = "metrics are about all scopes, and this token has one"
            error = forbidden(message, "use a token without a scope")
            return problem_response(error, by_status=True)
        return Response(metrics.page(), media_type=CONTENT_TYPE_LATEST)

    return Route("/metrics", page)


def _finish_work(store: Memory) -> None:
    """Embed and learn from what an earlier process left."""
    with suppress(ErstwhileError):
        store.flush()


def serve(
    location: str,
    settings: Settings,
    scope: Scope,
    tokens: TokenFile,
    options: ServerOptions,
    listening: socket.socket,
) -> None:
    """Open a memory and serve it, within a scope, until a signal comes."""
    sys.setswitchinterval(_SWITCH_SECONDS)

    def open_space(space: str) -> Memory:
        return erstwhile.open(location, settings=replace(settings, space=space))

    metrics, streams = Metrics(), EventStreams(tokens.is_valid, options.limits)
    apps: dict[str, ASGIApp] = {"/metrics": _metrics_route(metrics), "/v1": HttpApi()}
    lifespan: Lifespan[Router] | None = None
    if find_spec("mcp") is not None:  # an extra of its own
        from erstwhile.servers.mcp.http import PATH, McpApp
        from erstwhile.servers.mcp.resources import memory_surface
        from erstwhile.servers.mcp.server import MemoryServer

        server, stateless = MemoryServer(memory_surface()), options.workers > 1
        apps[PATH] = mcp = McpApp(server, stateless=stateless, limits=options.limits)
        lifespan = mcp.lifespan
    with erstwhile.open(location, settings=settings) as store:
        own = store.scoped(**dimensions_of(scope))
        spaces = Spaces(own, settings.space, open_space, store=store_name(location))
        health = HealthChecks(store.ping)
        routes: list[BaseRoute] = [
            Route("/healthz", health.alive),
            Route("/readyz", health.ready),
            *docs_routes(),
            *console_routes(),
        ]
        if options.open_metrics:
            routes.append(_metrics_route(metrics))
        app = build_app(
            apps,
            tokens,
            spaces.memory_of,
            options,
            lifespan=lifespan,
            streams=streams,
            routes=routes,
            wrap=metrics.count_requests,
        )
        Thread(target=_finish_work, args=(store,), daemon=True).start()
        gc.freeze()  # all threads stand still while garbage is looked for, also among these objects
        try:
            UvicornServer(app, options, streams.end).run(sockets=[listening])
        finally:
            spaces.close()
