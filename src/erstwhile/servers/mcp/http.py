"""MCP over HTTP."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from erstwhile.core.errors import InvalidInputError
from erstwhile.servers.app import build_app
from erstwhile.servers.mcp.server import MemoryServer
from erstwhile.servers.options import TOKEN, ServerOptions
from erstwhile.servers.problems import HttpError, problem_response
from erstwhile.servers.tokens import Spaces, Token, TokenFile

if TYPE_CHECKING:
    from erstwhile.memory import Memory

PATH = "/mcp"
_SESSIONS = ("on_subscribe_resource", "on_unsubscribe_resource")
"""Handlers of protocol versions with a handshake. Later versions listen with one long request."""
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

    def __init__(self, server: MemoryServer, *, stateless: bool = False) -> None:
        self._stateless = stateless
        checked_by_middleware = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        handlers = dict.fromkeys(_SESSIONS) if stateless else {}
        self._app = server.protocol_server(**handlers).streamable_http_app(
            streamable_http_path=PATH,
            transport_security=checked_by_middleware,
            stateless_http=stateless,
        )

    def lifespan(self, _app: object) -> AbstractAsyncContextManager[Any]:
        """Return the context in which sessions of clients are kept."""
        return self._app.router.lifespan_context(self._app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. The SDK lets only the same user continue a session."""
        if self._stateless and scope["method"] == "GET":
            await problem_response(_NO_STREAM)(scope, receive, send)
            return
        token: Token = scope[TOKEN]
        known_as = AccessToken(token=token.digest, client_id=token.digest, scopes=[])
        scope["user"] = AuthenticatedUser(known_as)
        await self._app(scope, receive, send)


def mcp_app(
    server: MemoryServer,
    memory: Memory,
    tokens: TokenFile,
    *,
    store: str | None = None,
    space: str = "main",
    hosts: Collection[str] = (),
) -> ASGIApp:
    """Return the application of an MCP server alone."""
    app, memory_of = McpApp(server), Spaces(memory, space, store=store).memory_of
    options = ServerOptions(hosts=hosts)
    return build_app({PATH: app}, tokens, memory_of, options, lifespan=app.lifespan)
