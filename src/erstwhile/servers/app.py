"""The ASGI application of a server: applications by path, behind one middleware."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from starlette.middleware.cors import CORSMiddleware
from starlette.routing import BaseRoute, Router
from starlette.types import ASGIApp, Lifespan, Receive, Scope, Send

from erstwhile.memory import Memory
from erstwhile.servers.middleware import AccessMiddleware, EventStreams, with_security_headers
from erstwhile.servers.options import ServerOptions
from erstwhile.servers.problems import path_not_found, problem_response
from erstwhile.servers.tokens import Token, TokenFile

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_REQUEST_HEADERS = (
    "authorization", "content-type", "accept", "if-match", "if-none-match", "idempotency-key",
    "last-event-id", "mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name",
)  # fmt: skip
_RESPONSE_HEADERS = ("etag", "location", "retry-after", "mcp-session-id")


def build_app(
    apps: Mapping[str, ASGIApp],
    tokens: TokenFile,
    memory_of: Callable[[Token], Memory],
    options: ServerOptions,
    *,
    lifespan: Lifespan[Router] | None = None,
    streams: EventStreams | None = None,
    routes: Sequence[BaseRoute] = (),
    wrap: Callable[[ASGIApp], ASGIApp] = lambda app: app,
) -> Router:
    """Return the ASGI application of a server, from applications by the first path segment.

    Only `routes` need no token. `wrap` adds a middleware around the others.
    """

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        app = apps.get("/".join(scope["path"].split("/")[:2]))
        await (app or problem_response(path_not_found()))(scope, receive, send)

    app: ASGIApp = AccessMiddleware(dispatch, tokens, memory_of, options, streams)
    if options.origins:
        app = CORSMiddleware(
            app,
            allow_origins=list(options.origins),
            allow_methods=_METHODS,
            allow_headers=_REQUEST_HEADERS,
            expose_headers=_RESPONSE_HEADERS,
        )
    app = wrap(with_security_headers(app))
    return Router(routes, redirect_slashes=False, default=app, lifespan=lifespan)
