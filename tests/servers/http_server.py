"""Servers for tests, in a thread of this process, and raw requests to them."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp

import erstwhile
from erstwhile import Memory, Scope
from erstwhile.servers.app import build_app
from erstwhile.servers.http.api import HttpApi
from erstwhile.servers.http.openapi import docs_routes
from erstwhile.servers.options import Limits, ServerOptions
from erstwhile.servers.tokens import Right, Spaces, Token, TokenFile
from erstwhile.servers.uvicorn_server import UvicornServer
from erstwhile.servers.workers import listen
from erstwhile.storage.access import Access

PATIENCE = 60.0
INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    b'"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}'
)


@dataclass(frozen=True, slots=True)
class Response:
    """The response to a raw request. Names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def send(
    port: int,
    method: str,
    path: str,
    headers: Mapping[str, str] | None = None,
    body: Any = None,
    *,
    connection: http.client.HTTPConnection | None = None,
) -> Response:
    """Send a raw request. A body that is not bytes is sent as JSON."""
    raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    usual = {"Content-Type": "application/json"} if raw else {}
    opened = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    with closing(opened):
        opened.request(method, path, raw, {**usual, **(headers or {})})
        answer = opened.getresponse()
        named = {name.lower(): value for name, value in answer.headers.items()}
        return Response(answer.status, named, answer.read())


@dataclass(frozen=True, slots=True)
class Served:
    """A running server."""

    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def post(
        self, headers: Mapping[str, str], body: bytes = INITIALIZE, *, path: str = "/mcp"
    ) -> Response:
        """Send a request of an MCP client, with some headers."""
        usual = {"Accept": "application/json, text/event-stream"}
        return send(self.port, "POST", path, {**usual, **headers}, body)


@contextmanager
def serving(application: ASGIApp, limits: Limits | None = None) -> Iterator[Served]:
    """Serve an application on a free port, and end it afterwards."""
    server = UvicornServer(application, ServerOptions(limits=limits or Limits()))
    with listen("127.0.0.1", 0) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield Served(listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()


def api_app(tokens: TokenFile, memory: Memory, **limits: Any) -> ASGIApp:
    """Return the application of the HTTP API for one memory."""
    options = ServerOptions(limits=Limits(**limits))
    memory_of = Spaces(memory, "main").memory_of
    return build_app({"/v1": HttpApi()}, tokens, memory_of, options, routes=docs_routes())


class HttpServers(TokenFile):
    """One running server for several memories. Its tokens have no file, and each has a memory."""

    def __init__(self) -> None:
        super().__init__(Path())
        self.port = 0
        self.opened: dict[str, tuple[Token, Memory]] = {}
        self.clients: list[Memory] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def token(
        self,
        memory: Memory,
        *,
        scope: Scope | None = None,
        right: Right = Right.ADMIN,
        person: bool = True,
    ) -> str:
        """Make a token and return its secret."""
        secret, now = f"token-{len(self.opened)}", datetime.now(UTC)
        token = Token(
            digest=secret,
            name=secret.replace("token-", "test"),
            scope=scope or Scope(),
            right=right,
            person=person,
            made_at=now,
        )
        self.opened[secret] = token, memory
        return secret

    def find(self, secret: str) -> Token | None:
        return self.opened[secret][0] if secret in self.opened else None

    def is_valid(self, token: Token) -> bool:
        return token.digest in self.opened

    def memory_of(self, token: Token) -> Memory:
        """Return the memory of a token."""
        return Spaces(self.opened[token.digest][1], "main").memory_of(token)

    def client(self, memory: Memory, **token: Any) -> Memory:
        """Return a memory that speaks to a server of a memory."""
        opened = erstwhile.open(self.address, token=self.token(memory, **token))
        self.clients.append(opened)
        return opened

    def ask(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        *,
        token: str,
    ) -> Response:
        """Send a raw request."""
        bearer = {"Authorization": f"Bearer {token}"}
        return send(self.port, method, path, {**bearer, **(headers or {})}, body)

    def events(self, token: str, headers: Mapping[str, str], *, until: int) -> list[dict[str, Any]]:
        """Return the first events of a stream."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as raw:
            asked = {"Authorization": f"Bearer {token}", **headers}
            raw.request("GET", "/v1/events", None, asked)
            answer, found = raw.getresponse(), list[dict[str, Any]]()
            fields: dict[str, Any] = {}
            while len(found) < until:
                name, _, value = answer.readline().decode().strip().partition(": ")
                if name == "data":
                    found.append({**fields, "data": json.loads(value)})
                fields[name] = value
            return found

    def inside(self, client: Any) -> Access:
        """Return the access of the memory that a client speaks to, with the view of the client."""
        secret = client._access.server.http.headers["authorization"].removeprefix("Bearer ")
        return self.opened[secret][1]._access.seen_by(client._access.viewer)

    def forget(self) -> None:
        """Close the clients."""
        for each in self.clients:
            each.close()
        self.clients.clear()


@contextmanager
def http_servers() -> Iterator[HttpServers]:
    """Serve memories on a free port, and end it afterwards."""
    servers = HttpServers()
    options = ServerOptions(limits=Limits(a_second=0.0))
    app = build_app({"/v1": HttpApi()}, servers, servers.memory_of, options, routes=docs_routes())
    with serving(app) as served:
        servers.port = served.port
        yield servers
