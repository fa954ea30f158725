"""MCP over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from erstwhile.core.errors import InvalidInputError
from erstwhile.servers.app import Mounts, build_app
from erstwhile.servers.mcp.server import MemoryServer
from erstwhile.servers.mcp.surface import Surface
from erstwhile.servers.middleware import MEMORY, TOKEN
from erstwhile.servers.options import ServerOptions
from erstwhile.servers.problems import HttpError, problem_response
from erstwhile.servers.tokens import Right, Spaces, Token, TokenFile

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from starlette.applications import Starlette

    from erstwhile.memory import Memory

PATH = "/mcp"
_NO_STREAM = HttpError(
    InvalidInputError(
        "a server with several workers keeps no sessions, so it has no stream for them",
        remedy="use subscriptions/listen of protocol 2026-07-28, or a server with one worker",
    ),
    405,
    {"Allow": "POST"},
)


class McpApp:
    """ASGI application of an MCP server, behind `AccessMiddleware`.

    A session lives in one process. Several workers are `stateless`: clients with a handshake have
    no session, and no stream for messages of the server.
    """

    def __init__(self, server: Server[Any], *, stateless: bool = False) -> None:
        self._stateless = stateless
        checked_by_middleware = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        self._application: Starlette = server.streamable_http_app(
            streamable_http_path=PATH,
            transport_security=checked_by_middleware,
            stateless_http=stateless,
        )

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Keep the sessions of clients."""
        async with self._application.router.lifespan_context(self._application):
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. The SDK lets only the same user continue a session."""
        if self._stateless and scope["method"] == "GET":
            await problem_response(_NO_STREAM)(scope, receive, send)
            return
        token: Token = scope[TOKEN]
        known_as = AccessToken(token=token.digest, client_id=token.digest, scopes=[])
        scope["user"] = AuthenticatedUser(known_as)
        await self._application(scope, receive, send)


def protocol_server(surface: Surface, *, stateless: bool = False) -> Server[Any]:
    """Return the SDK server for requests with a token.

    Without sessions it has no subscriptions of the protocol versions with a handshake. Later
    versions listen with one long request to any worker.
    """
    server = MemoryServer(
        surface,
        memory_of_request,
        may_write=lambda request: _token(request).may(Right.WRITE),
        owner_of=lambda request: _token(request).digest,
        holder_of=lambda request: _token(request).name,
    )
    none = dict.fromkeys(("on_subscribe_resource", "on_unsubscribe_resource"))
    return server.protocol_server(**(none if stateless else {}))


def mcp_app(
    server: Server[Any],
    memory: Memory,
    tokens: TokenFile,
    *,
    space: str = "main",
    hosts: Collection[str] = (),
) -> ASGIApp:
    """Return the application of an MCP server alone."""
    app = McpApp(server)
    mounts = Mounts(by_path={PATH: app}, lifespans=[app.lifespan])
    return build_app(mounts, tokens, Spaces(memory, space).memory_of, ServerOptions(hosts=hosts))


def memory_of_request(request: Any) -> Memory:
    """Return the memory of a request."""
    memory: Memory = request.request.scope[MEMORY]
    return memory


def _token(request: Any) -> Token:
    token: Token = request.request.scope[TOKEN]
    return token
