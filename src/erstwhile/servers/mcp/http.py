"""MCP over HTTP."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from erstwhile.core.errors import InvalidInputError
from erstwhile.servers.app import build_app
from erstwhile.servers.mcp.server import MemoryServer
from erstwhile.servers.options import TOKEN, Limits, ServerOptions
from erstwhile.servers.problems import HttpError, problem_response, too_busy
from erstwhile.servers.rate_limit import RateLimit
from erstwhile.servers.tokens import Spaces, Token, TokenFile

if TYPE_CHECKING:
    from erstwhile.memory import Memory

PATH = "/mcp"
_SESSIONS = ("on_subscribe_resource", "on_unsubscribe_resource")
"""Handlers of protocol versions with a handshake. Later versions listen with one long request."""
_SESSION = "mcp-session-id"
_SESSIONS_A_SECOND = 1.0
"""The sessions that a token may begin, after as many at once as it may have."""
_REJECT_SECONDS = 0.5
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

    A session lives in one process. A token has a limited number of them: clients often disconnect
    without notice, so the oldest session ends for a new one. Several workers are `stateless`:
    clients with a handshake have no session, and no stream for messages of the server.
    """

    def __init__(
        self, server: MemoryServer, *, stateless: bool = False, limits: Limits | None = None
    ) -> None:
        self._stateless = stateless
        self._limits = limits or Limits()
        self._rate = RateLimit(_SESSIONS_A_SECOND, self._limits.sessions_of_token)
        self._sessions: dict[str, deque[str]] = {}
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
        if self._stateless or not _may_begin_session(Headers(scope=scope)):
            await self._app(scope, receive, send)
        else:
            await self._begin_session(scope, receive, send)

    async def _begin_session(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that may begin a session."""
        owner = scope[TOKEN].digest
        begun: list[str] = []

        async def send_noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                begun.extend(Headers(raw=message["headers"]).getlist(_SESSION))
            await send(message)

        if seconds := self._rate.refuse(owner):
            await anyio.sleep(_REJECT_SECONDS)
            error = too_busy(429, "this token begins too many sessions", seconds)
            await problem_response(error)(scope, receive, send)
            return
        await self._app(scope, receive, send_noting)
        own = self._sessions.setdefault(owner, deque())
        own.extend(begun)
        while len(own) > self._limits.sessions_of_token:
            await self._end_session(scope, own.popleft())

    async def _end_session(self, scope: Scope, session: str) -> None:
        """End a session, as its client would do; it may have ended already."""

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_message: Message) -> None: ...

        kept = [each for each in scope["headers"] if each[0] in (b"host", b"authorization")]
        headers = [*kept, (_SESSION.encode(), session.encode())]
        await self._app({**scope, "method": "DELETE", "headers": headers}, receive, send)


def _may_begin_session(headers: Headers) -> bool:
    """Return whether the SDK begins a session for a request: later protocols have none."""
    version = headers.get("mcp-protocol-version")
    return _SESSION not in headers and (version is None or version in HANDSHAKE_PROTOCOL_VERSIONS)


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
