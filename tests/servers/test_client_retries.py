"""What a client does if the server fails: it repeats what can be repeated, and tells the rest."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.client import memory as client_memory

ABOUT = {"scope": {"user": None, "agent": None, "project": None, "session": None}}
BUSY = {"code": "busy", "detail": "the store is busy", "remedy": "try again"}
CUT = "cut"
"""The server hangs up after it has read the request."""
GONE = "gone"
"""The server hangs up, and is not there any more."""


@dataclass
class FailingServer:
    """A server that follows a script, one step for each request after the first."""

    listening: socket.socket
    script: list[object]
    heads: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}"

    @property
    def keys(self) -> list[str]:
        """The idempotency keys of the requests."""
        lines = [line.partition(": ") for head in self.heads for line in head.splitlines()]
        return [value for name, _, value in lines if name.lower() == "idempotency-key"]

    def run(self) -> None:
        """Answer one request after another, each on a connection of its own."""
        steps: Iterator[object] = iter([(200, ABOUT), *self.script])
        for step in steps:
            connection, _ = self.listening.accept()
            with connection:
                self.heads.append(_read_request(connection))
                if isinstance(step, tuple):
                    connection.sendall(_response(*step))
            if step == GONE:
                self.listening.close()
                return


def _read_request(connection: socket.socket) -> str:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    text = head.decode("latin-1")
    sizes = [
        line.partition(":")[2] for line in text.lower().splitlines() if "content-length" in line
    ]
    while sizes and len(body) < int(sizes[0]):
        body += connection.recv(65536)
    return text


def _response(status: int, value: object, headers: str = "") -> bytes:
    body = json.dumps(value).encode()
    head = (
        f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\nConnection: close\r\n{headers}\r\n"
    )
    return head.encode() + body


@contextmanager
def failing(*script: object) -> Iterator[tuple[FailingServer, Memory]]:
    """Open a memory on a server that follows a script."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = FailingServer(listening, list(script))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        with erstwhile.open(server.address, token="token") as memory:  # noqa: S106
            yield server, memory
        thread.join(10)
        assert not thread.is_alive()


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_memory, "backoff", lambda _attempt: 0.01)


def test_a_question_is_asked_again() -> None:
    with failing(CUT, (503, BUSY), (502, "proxy"), (200, 7)) as (server, memory):
        assert memory.facts.count() == 7
    assert len(server.heads) == 5
    assert not server.keys


def test_a_change_is_sent_again_with_its_key() -> None:
    with failing(CUT, (409, BUSY), (429, BUSY, "Retry-After: 0\r\n"), (200, 3)) as (server, memory):
        assert memory.sessions.clear() == 3
    assert len(server.keys) == 4
    assert len(set(server.keys)) == 1


def test_an_answer_that_says_no_is_not_asked_for_again() -> None:
    wrong = {"code": "invalid_input", "detail": "no", "remedy": ""}
    with failing((422, wrong)) as (server, memory), pytest.raises(erstwhile.InvalidInputError):
        memory.sessions.clear()
    assert len(server.keys) == 1


@pytest.mark.parametrize(
    "script", [[CUT, CUT, CUT, CUT], [CUT, (503, BUSY), (503, BUSY), (409, BUSY)], [GONE]]
)
def test_a_change_without_an_answer_stays_uncertain(script: list[object]) -> None:
    """However the later tries fail: the first may have been carried out."""
    with failing(*script) as (_, memory), pytest.raises(erstwhile.UncertainError):
        memory.sessions.clear()


def test_a_change_that_was_refused_each_time_is_certain() -> None:
    script = [(503, BUSY)] * 4
    with failing(*script) as (_, memory), pytest.raises(erstwhile.BusyError):
        memory.sessions.clear()


def test_a_question_without_an_answer_leaves_no_doubt() -> None:
    with failing(GONE) as (_, memory), pytest.raises(erstwhile.UnavailableError):
        memory.facts.count()


def test_a_redirect_is_not_followed() -> None:
    """It could lead the token anywhere."""
    moved: object = (307, {}, "Location: http://127.0.0.1:9/v1/facts/count\r\n")
    with failing(moved) as (server, memory), pytest.raises(erstwhile.ErstwhileError, match="307"):
        memory.facts.count()
    assert len(server.heads) == 2


def test_an_answer_that_is_no_json_is_told() -> None:
    with failing((200, None)) as (_, memory), pytest.raises(erstwhile.ErstwhileError):
        memory.facts.count()
