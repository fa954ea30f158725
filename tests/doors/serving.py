"""A server over HTTP for tests, in a thread of this process."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from erstwhile.doors.asgi import Application
from erstwhile.doors.limits import Limits
from erstwhile.doors.listening import listen_at
from erstwhile.doors.mcp.http import PATH
from erstwhile.doors.web_server import web_server

_PATIENCE = 60.0
INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    b'"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}'
)


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to a raw request."""

    status: int
    headers: dict[str, str]
    text: str


@dataclass(frozen=True, slots=True)
class Served:
    """A running server."""

    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}{PATH}"

    def post(
        self, headers: Mapping[str, str], body: bytes = INITIALIZE, *, path: str = PATH
    ) -> Response:
        """Send a request with some headers."""
        usual = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE)
        try:
            connection.request("POST", path, body, {**usual, **headers})
            answer = connection.getresponse()
            text = answer.read().decode()
            return Response(answer.status, dict(answer.headers.items()), text)
        finally:
            connection.close()


@contextmanager
def serving(application: Application, limits: Limits | None = None) -> Iterator[Served]:
    """Serve an application on a free port, and end it afterwards."""
    server = web_server(application, limits=limits)
    with listen_at("127.0.0.1", 0) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield Served(listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join(_PATIENCE)
            assert not thread.is_alive()
