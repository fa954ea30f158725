"""A server on loopback with scripted answers."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self, TypeAlias


@dataclass(frozen=True)
class Seen:
    """A request that the server received."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Answer: TypeAlias = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


@dataclass
class LoopbackServer:
    """Answers with the next item of `script`, and with `well` after the last one."""

    well: Answer
    script: deque[Answer] = field(default_factory=deque)
    seen: list[Seen] = field(default_factory=list)
    closing: Event = field(default_factory=Event)

    def __enter__(self) -> Self:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                body = json.loads(self.rfile.read(length))
                outer.seen.append(Seen(self.path, dict(self.headers), body))
                answer = outer.script.popleft() if outer.script else outer.well
                with suppress(OSError):  # the caller has gone away, as it should
                    answer(self, body)

            def do_GET(self) -> None:
                outer.seen.append(Seen(self.path, dict(self.headers), {}))

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(60)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    def slowly(self, _handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
        """Send nothing until the test is over."""
        self.closing.wait(60)

    def dripping(self, handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
        """Send single bytes without end."""
        handler.send_response(200)
        handler.end_headers()
        while not self.closing.wait(0.02):
            handler.wfile.write(b" ")
            handler.wfile.flush()


def saying(text: str | bytes, *, status: int = 200, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
        body = text.encode() if isinstance(text, str) else text
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def packed(body: bytes) -> Answer:
    """Answer with a header that promises compression."""
    return saying(body, Content_Type="application/json", Content_Encoding="gzip")


def chunked(beginning: bytes) -> Answer:
    """Answer in chunks, but send only the first."""

    def answer(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
        handler.protocol_version = "HTTP/1.1"
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b"%x\r\n%b\r\n" % (len(beginning), beginning))
        handler.close_connection = True

    return answer


def truncated(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"data": [')


def hanging_up(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    handler.close_connection = True


def in_seconds(seconds: float) -> str:
    """Return a time from now on as a header has it."""
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)
