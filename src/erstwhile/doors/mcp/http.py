"""The MCP server over HTTP, on this machine only, for clients with a token."""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import uvicorn
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings

from erstwhile.doors.gate import Application, Connection, Gate
from erstwhile.doors.mcp.server import MemoryServer
from erstwhile.doors.mcp.surface import Surface
from erstwhile.doors.tokens import Token, TokenFile, dimensions

if TYPE_CHECKING:
    from erstwhile.memory import Memory

PATH = "/mcp"
_HOST = "127.0.0.1"
_MEMORY = "erstwhile.memory"
"""Where the memory of a request is, in the scope of its token."""
_SHUTDOWN = 5
"""Seconds that open requests have to finish when the server ends."""


def http_application(
    surface: Surface, memory: Memory, tokens: TokenFile, *, hosts: Collection[str] = ()
) -> Gate:
    """Return the server as an ASGI application. A token opens its scope within this memory."""

    def enter(connection: Connection, token: Token) -> None:
        connection[_MEMORY] = memory.scoped(**dimensions(token.scope))
        # The SDK lets only the same user continue a session.
        known_as = AccessToken(token=token.digest, client_id=token.digest, scopes=[])
        connection["user"] = AuthenticatedUser(known_as)

    server = MemoryServer(surface, _memory_of).protocol_server()
    checked_by_gate = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    application = server.streamable_http_app(
        streamable_http_path=PATH, transport_security=checked_by_gate
    )
    return Gate(application, tokens, enter, hosts=hosts)


def web_server(application: Application) -> uvicorn.Server:
    """Return the web server for an application; it logs no request."""
    config = uvicorn.Config(
        application,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_SHUTDOWN,
    )
    return uvicorn.Server(config)


def serve_http(application: Application, port: int, ready: Callable[[str], None]) -> None:
    """Serve until it is interrupted. Call `ready` with the address once it can be reached."""
    with socket.create_server((_HOST, port)) as listening:
        ready(f"http://{_HOST}:{listening.getsockname()[1]}{PATH}")
        web_server(application).run(sockets=[listening])


def _memory_of(request: Any) -> Memory:
    memory: Memory = request.request.scope[_MEMORY]
    return memory
