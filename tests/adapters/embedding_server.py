"""A server on loopback with OpenAI's embeddings interface, which misbehaves on request."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from types import TracebackType
from typing import Any, TypeAlias

from recollect.adapters.embed.hashing import HashingEmbedder

DIMENSIONS = 64
KEY = "sk-very-secret-4711"


@dataclass(frozen=True)
class Seen:
    """A request, as the server got it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Answer: TypeAlias = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


@dataclass
class EmbeddingServer:
    """Answers with what is next in `script`, and well when nothing is left in it."""

    script: deque[Answer] = field(default_factory=deque)
    seen: list[Seen] = field(default_factory=list)
    closing: Event = field(default_factory=Event)

    def __enter__(self) -> EmbeddingServer:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                body = json.loads(self.rfile.read(length))
                outer.seen.append(Seen(self.path, dict(self.headers), body))
                answer = outer.script.popleft() if outer.script else well
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
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def slowly(self, _handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
        """Says nothing until the test is over."""
        self.closing.wait(60)

    def dripping(self, handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
        """Sends a byte now and then, for ever."""
        handler.send_response(200)
        handler.end_headers()
        while not self.closing.wait(0.02):
            handler.wfile.write(b" ")
            handler.wfile.flush()


def well(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    rows = HashingEmbedder(body.get("dimensions", DIMENSIONS)).embed(body["input"])
    items = [{"index": index, "embedding": row.tolist()} for index, row in enumerate(rows)]
    _send(handler, 200, json.dumps({"data": items[::-1]}).encode())


def vectors(*rows: object, indexes: list[int] | None = None) -> Answer:
    """Answers with these, whatever was asked."""
    numbers = range(len(rows)) if indexes is None else indexes
    items = [{"index": i, "embedding": row} for i, row in zip(numbers, rows, strict=True)]
    return saying(json.dumps({"data": items}))


def saying(text: str, *, status: int = 200, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
        _send(handler, status, text.encode(), headers)

    return answer


def truncated(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"data": [')


def hanging_up(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    handler.close_connection = True


def _send(
    handler: BaseHTTPRequestHandler,
    status: int,
    body: bytes,
    headers: dict[str, str] | None = None,
) -> None:
    handler.send_response(status)
    for name, value in (headers or {}).items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
