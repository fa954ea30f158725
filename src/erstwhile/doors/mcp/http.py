"""The MCP server over HTTP, for clients with a token."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings

from erstwhile.doors.asgi import Application, Connection, GateRefusalError, Receive, Send, refuse
from erstwhile.doors.gate import MEMORY, TOKEN
from erstwhile.doors.mcp.server import MemoryServer
from erstwhile.doors.mcp.surface import Surface
from erstwhile.doors.origins import allowed_origins
from erstwhile.doors.service import Doors, Policies, gated
from erstwhile.doors.spaces import Spaces
from erstwhile.doors.tokens import Right, Token, TokenFile

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from starlette.applications import Starlette

    from erstwhile.memory import Memory

PATH = "/mcp"
_NO_STREAM = GateRefusalError(
    405,
    "invalid_input",
    "a server with several workers keeps no sessions, so it has no stream for them",
    "use subscriptions/listen of protocol 2026-07-28, or a server with one worker",
    ((b"allow", b"POST"),),
)


class McpOverHttp:
    """The server as an ASGI application behind the gate. It serves while `running`.

    A session lives in one process. Several workers are `stateless`: then a client of the era with a
    handshake has no session, and no stream on which the server could speak first.
    """

    def __init__(self, server: Server[Any], *, stateless: bool = False) -> None:
        self._stateless = stateless
        checked_by_gate = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        self._application: Starlette = server.streamable_http_app(
            streamable_http_path=PATH,
            transport_security=checked_by_gate,
            stateless_http=stateless,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep the sessions of clients."""
        async with self._application.router.lifespan_context(self._application):
            yield

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        """Answer one request. The SDK lets only the same user continue a session."""
        if self._stateless and connection["method"] == "GET":
            await refuse(send, _NO_STREAM)
            return
        token: Token = connection[TOKEN]
        known_as = AccessToken(token=token.digest, client_id=token.digest, scopes=[])
        connection["user"] = AuthenticatedUser(known_as)
        await self._application(connection, receive, send)


def protocol_server(surface: Surface, *, stateless: bool = False) -> Server[Any]:
    """Return the server whose requests have a memory and a token from the gate.

    Without sessions it does not offer the subscriptions that need one: those of the era with a
    handshake. Later versions listen with one long request, which any worker answers.
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


def mcp_service(
    server: Server[Any],
    memory: Memory,
    tokens: TokenFile,
    *,
    space: str = "main",
    hosts: Collection[str] = (),
) -> Application:
    """Return this door alone behind its gate. A token opens its scope within the memory."""
    door = McpOverHttp(server)
    doors = Doors(by_path={PATH: door}, running=[door.running])
    policies = Policies(origins=allowed_origins(hosts, ()))
    return gated(doors, tokens, Spaces(memory, space).memory_of, policies)


def memory_of_request(request: Any) -> Memory:
    """Return the memory that the gate gave to a request."""
    memory: Memory = request.request.scope[MEMORY]
    return memory


def _token(request: Any) -> Token:
    token: Token = request.request.scope[TOKEN]
    return token
