"""The ASGI application of a server: applications by path, behind one middleware."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TypeAlias

from starlette.middleware.cors import CORSMiddleware
from starlette.routing import BaseRoute, Router
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from erstwhile.memory import Memory
from erstwhile.servers.middleware import AccessMiddleware, EventStreams, SecurityHeaders
from erstwhile.servers.options import ServerOptions
from erstwhile.servers.problems import path_not_found, problem_response
from erstwhile.servers.tokens import Token, TokenFile

Lifespan: TypeAlias = Callable[[], AbstractAsyncContextManager[None]]
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_REQUEST_HEADERS = (
    "authorization", "content-type", "accept", "if-match", "if-none-match", "idempotency-key",
    "last-event-id", "mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name",
)  # fmt: skip
_RESPONSE_HEADERS = ("etag", "location", "retry-after", "mcp-session-id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mounts:
    """Applications by the first segment of their paths."""

    by_path: Mapping[str, ASGIApp]
    lifespans: Sequence[Lifespan] = ()
    """Async context managers to enter for the app's lifespan."""
    unlimited_paths: frozenset[str] = frozenset()
    """Paths whose bodies may have any size."""

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Pass a request to the application of its path."""
        path = scope["path"]
        found = self.by_path.get(path) or self.by_path.get("/".join(path.split("/")[:2]))
        app = found or problem_response(path_not_found())
        await app(scope, receive, send)


def build_app(
    mounts: Mounts,
    tokens: TokenFile,
    memory_of: Callable[[Token], Memory],
    options: ServerOptions,
    *,
    streams: EventStreams | None = None,
    routes: Sequence[BaseRoute] = (),
    wrap: Callable[[ASGIApp], ASGIApp] = lambda app: app,
) -> Router:
    """Return the ASGI application of a server. Only `routes` need no token.

    `wrap` adds a middleware around the others.
    """
    app: ASGIApp = AccessMiddleware(
        mounts,
        tokens,
        memory_of,
        options,
        unlimited_paths=mounts.unlimited_paths,
        streams=streams,
    )
    if options.origins:
        app = CORSMiddleware(
            app,
            allow_origins=list(options.origins),
            allow_methods=_METHODS,
            allow_headers=_REQUEST_HEADERS,
            expose_headers=_RESPONSE_HEADERS,
        )
    app = wrap(SecurityHeaders(app))

    @asynccontextmanager
    async def lifespan(_app: object) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for each in mounts.lifespans:
                await stack.enter_async_context(each())
            yield

    return Router(routes, redirect_slashes=False, default=app, lifespan=lifespan)
