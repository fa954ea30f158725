"""A server of the HTTP API for tests, in a thread of this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import erstwhile
from erstwhile import Memory, Scope
from erstwhile.doors.gate import MEMORY, TOKEN
from erstwhile.doors.http.application import http_application
from erstwhile.doors.tokens import Right, Token, dimensions
from tests.doors.serving import Served, serving


@dataclass
class HttpServer:
    """A running server of a memory, which knows its tokens by their names."""

    memory: Memory
    tokens: dict[str, Token] = field(default_factory=dict)
    served: Served | None = None

    @property
    def address(self) -> str:
        assert self.served is not None
        return f"http://127.0.0.1:{self.served.port}"

    def token(
        self, *, scope: Scope | None = None, right: Right = Right.ADMIN, person: bool = True
    ) -> str:
        """Make a token and return its secret."""
        secret = f"token-{len(self.tokens)}"
        self.tokens[secret] = Token(
            digest=secret,
            name=f"test{len(self.tokens)}",
            scope=scope or Scope(),
            right=right,
            person=person,
            made_at=datetime.now(UTC),
        )
        return secret

    def client(self, **token: Any) -> Memory:
        return erstwhile.open(self.address, token=self.token(**token))

    async def __call__(self, connection: Any, receive: Any, send: Any) -> None:
        """Serve a request as the gate does."""
        if connection["type"] == "http":
            given = dict(connection["headers"])[b"authorization"].decode()
            token = self.tokens[given.removeprefix("Bearer ")]
            connection[TOKEN] = token
            connection[MEMORY] = self.memory.scoped(**dimensions(token.scope))
        await http_application()(connection, receive, send)


@contextmanager
def http_server(memory: Memory) -> Iterator[HttpServer]:
    """Serve a memory on a free port, and end it afterwards."""
    server = HttpServer(memory)
    with serving(server) as served:
        server.served = served
        yield server
