"""Requests that cost a server more than they look: they are refused, cut short or slowed down."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

import erstwhile
from erstwhile.rpc.verbs import max_items
from erstwhile.servers import uvicorn_server
from erstwhile.servers.http.api import MAX_BYTES
from erstwhile.servers.rate_limit import RateLimit
from tests.servers.http_server import HttpServers, Response, http_servers

HEAD = "POST /v1/facts HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n"
LARGE = 500_000


class Api:
    """The HTTP API of a memory, and a token for it."""

    def __init__(self, memory: erstwhile.Memory, servers: HttpServers) -> None:
        self.memory, self._servers = memory, servers
        self.token = servers.token(memory)
        self.port = servers.port

    def ask(self, method: str, path: str, body: object = None) -> Response:
        return self._servers.ask(method, path, None, body, token=self.token)

    def raw(self, head: str, body: bytes) -> bytes:
        """Send a request to add a fact as it is, and return the beginning of the answer."""
        with socket.create_connection(("127.0.0.1", self.port), 30) as opened:
            opened.sendall((HEAD.format(self.port, self.token) + head + "\r\n").encode() + body)
            return opened.recv(12)


@pytest.fixture(scope="module")
def api() -> Iterator[Api]:
    with erstwhile.open(":memory:", embedder="none") as memory, http_servers() as servers:
        yield Api(memory, servers)


@pytest.mark.parametrize("value", [b"[]", b"{}", b"0"])
def test_a_body_with_very_many_values_is_refused_before_it_is_parsed(
    api: Api, value: bytes
) -> None:
    """No other thread runs while a JSON text is parsed."""
    body = b'{"text": "x", "metadata": {"a": [' + b",".join([value] * 300_000) + b"]}}"
    answer = api.ask("POST", "/v1/facts", body)
    assert (answer.status, answer.json["code"]) == (413, "too_large")
    assert "commas and brackets" in answer.json["remedy"]


@pytest.mark.parametrize(
    ("path", "name"), [("/v1/facts/many", "items"), ("/v1/turns/many", "messages")]
)
def test_a_request_stores_a_limited_number_of_records(api: Api, path: str, name: str) -> None:
    """The others wait while they are stored."""
    verb = {"items": "remember_many", "messages": "observe"}[name]
    one = "x" if name == "items" else {"role": "user", "content": "x"}
    answer = api.ask("POST", path, {name: [one] * (max_items(verb, name) + 1)})
    assert (answer.status, answer.json["code"]) == (413, "too_large")


def test_a_body_in_tiny_chunks_is_refused(api: Api) -> None:
    head = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
    body = json.dumps({"text": "Ana likes tea" + " " * 1_000}).encode()
    tiny = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
    assert api.raw(head, tiny) == b"HTTP/1.1 400"
    few = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    assert api.raw(head, few) == b"HTTP/1.1 200"


def test_a_head_with_very_many_headers_is_refused(api: Api) -> None:
    head = "".join(f"a{number}: b\r\n" for number in range(10_000))
    assert api.raw(head, b"") == b"HTTP/1.1 400"


def test_a_page_of_large_records_ends_early(api: Api) -> None:
    conversations = api.memory.conversations
    kept = conversations.start(channel="x").id
    for _ in range(6):
        large = [{"role": "tool", "content": "a" * LARGE} for _ in range(5)]
        conversations.add_many(large, conversation=kept)
    path = f"/v1/conversations/{kept}/messages?limit=1000"
    read = list[str]()
    cursor: str | None = ""
    while cursor is not None:
        page = api.ask("GET", path + (f"&cursor={cursor}" if cursor else "")).json
        assert sum(len(each["content"]) for each in page["items"]) < MAX_BYTES + 20 * LARGE
        read += [each["id"] for each in page["items"]]
        cursor = page["next"]
    assert len(read) == len(set(read)) == 30


def test_idle_connections_make_room_for_new_ones(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uvicorn_server, "_CONNECTIONS", 10)
    with ExitStack() as stack:
        for _ in range(40):
            stack.enter_context(socket.create_connection(("127.0.0.1", api.port), 30))
        for _ in range(5):
            assert api.ask("GET", "/v1/facts?limit=1").status == 200


def test_bodies_wait_when_a_token_sends_too_much() -> None:
    now = [0.0]
    pace = RateLimit(100.0, 1.0, lambda: now[0])
    assert pace.wait("ana", 100) == 0
    assert pace.wait("ana", 50) == 0.5
    assert pace.wait("bo", 50) == 0
    now[0] += 2
    assert pace.wait("ana", 100) == 0
