"""Servers of the HTTP API for tests, in a thread of this process."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import erstwhile
from erstwhile import Memory, Scope
from erstwhile.doors.asgi import GateRefusalError, refuse
from erstwhile.doors.gate import MEMORY, TOKEN
from erstwhile.doors.http.application import http_application
from erstwhile.doors.tokens import Right, Token, dimensions
from erstwhile.storage.access import Access
from tests.doors.serving import serving

_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a raw request."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class HttpServers:
    """One running server for several memories. A token says which of them it opens."""

    port: int = 0
    opened: dict[str, tuple[Token, Memory]] = field(default_factory=dict)
    clients: list[Memory] = field(default_factory=list)

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
        number = len(self.opened)
        token = Token(
            digest=f"{number:064}",
            name=f"test{number}",
            scope=scope or Scope(),
            right=right,
            person=person,
            made_at=datetime.now(UTC),
        )
        self.opened[f"token-{number}"] = token, memory
        return f"token-{number}"

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
        body: bytes | None = None,
        *,
        token: str,
    ) -> Answered:
        """Send a raw request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE)
        usual = {"Authorization": f"Bearer {token}"}
        usual |= {"Content-Type": "application/json"} if body else {}
        try:
            connection.request(method, path, body, {**usual, **(headers or {})})
            answer = connection.getresponse()
            named = {name.lower(): value for name, value in answer.headers.items()}
            return Answered(answer.status, named, answer.read())
        finally:
            connection.close()

    def events(self, token: str, headers: Mapping[str, str], *, until: int) -> list[dict[str, Any]]:
        """Return the first events of a stream."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE)
        try:
            asked = {"Authorization": f"Bearer {token}", **headers}
            connection.request("GET", "/v1/events", None, asked)
            answer, found = connection.getresponse(), list[dict[str, Any]]()
            fields: dict[str, Any] = {}
            while len(found) < until:
                name, _, value = answer.readline().decode().strip().partition(": ")
                if name == "data":
                    found.append({**fields, "data": json.loads(value)})
                fields[name] = value
            return found
        finally:
            connection.close()

    def inside(self, client: Any) -> Access:
        """Return the access of the memory that a client speaks to, with the view of the client."""
        secret = client._access.server._http.headers["authorization"].removeprefix("Bearer ")
        return self.opened[secret][1]._access.seen_by(client._access.viewer)

    def forget(self) -> None:
        """Close the clients."""
        for each in self.clients:
            each.close()
        self.clients.clear()

    async def __call__(self, connection: Any, receive: Any, send: Any) -> None:
        """Serve a request as the gate does."""
        if connection["type"] == "http":
            given = dict(connection["headers"]).get(b"authorization", b"").decode("latin-1")
            known = self.opened.get(given.removeprefix("Bearer "))
            if known is None:
                await refuse(send, GateRefusalError(401, "refused", "a valid token is needed"))
                return
            token, memory = known
            connection[TOKEN] = token
            connection[MEMORY] = memory.scoped(**dimensions(token.scope))
        await self._application(connection, receive, send)

    _application = staticmethod(http_application())


@contextmanager
def http_servers() -> Iterator[HttpServers]:
    """Serve memories on a free port, and end it afterwards."""
    servers = HttpServers()
    with serving(servers) as served:
        servers.port = served.port
        yield servers
