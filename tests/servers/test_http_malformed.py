"""Requests that no honest client sends: each is refused with a typed answer, and none is a 500."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import erstwhile
from erstwhile import Memory
from tests.servers.http_server import HttpServers, http_servers

FACTS, JSON = "/v1/facts", {"Content-Type": "application/json"}
DEEP = b'{"text": "x", "metadata": ' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"}"
BODIES = {
    b"": 422,
    b"{": 400,
    b"[]": 400,
    b"null": 400,
    b'{"text": "x", "text": "y"}': 400,
    b'{"text": "x", "confidence": NaN}': 400,
    b'{"text": "x", "confidence": 1e999}': 422,
    b'{"text": "x", "colour": "red"}': 422,
    b'{"text": 5}': 422,
    b'{"text": "a\\u0000b"}': 422,
    b'{"text": "\\ud800"}': 422,
    b'{"text": "\xff"}': 400,
    b'{"text": "x", "tags": "y"}': 422,
    b'{"text": "x", "expires_at": 5}': 422,
    b'{"text": "x", "metadata": {"n": ' + b"9" * 5_000 + b"}}": 400,
    DEEP: 400,
}
PATHS = {
    "/": 404,
    "/v1/": 404,
    "/v1/../v1/facts": 404,
    "/v1/facts/..%2f..%2fetc%2fpasswd": 404,
    "/v1/facts/%00": 422,
    "/v1/facts/%ff": 400,
    "/v1/facts/": 422,
    "/v1//facts": 404,
    "/v1/%2e%2e/facts": 404,
    "/v1/facts%00": 404,
    "/v1/facts;x=1": 404,
    "/v1/FACTS": 404,
    "/v1/facts?limit=5&limit=6": 422,
    "/v1/facts?limit=99999999999999999999": 422,
    "/v1/facts?limit=0": 422,
    "/v1/facts?limit=NaN": 422,
    "/v1/facts?limt=5": 422,
    "/v1/facts?contains=%ff": 400,
    "/v1/facts?deleted=maybe": 422,
    "/v1/facts?cursor=%00": 422,
    "/v1/blocks/nothing?version=-9223372036854775807": 422,
}
HEADERS = [
    ({"Erstwhile-Usr": "ana"}, 400),
    ({"Erstwhile-User": "%ff"}, 400),
    ({"Erstwhile-User": "a%00b"}, 422),
    ({"Erstwhile-User": "a%0d%0aX: y"}, 422),
    ({"Erstwhile-Everything": "yes"}, 400),
    ({"Erstwhile-Everything": "true", "Erstwhile-User": "ana"}, 400),
    ({"Erstwhile-Actor": "x" * 1_000}, 413),
    ({"If-Match": "*, x"}, 400),
]


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[HttpServers, str]]:
    settings = erstwhile.Settings(tokenizer="estimate", embedder="none")
    with erstwhile.open(":memory:", settings=settings) as memory, http_servers() as servers:
        yield servers, servers.token(memory)


def refused(served: tuple[HttpServers, str], status: int, *asked: object) -> None:
    servers, token = served
    answer = servers.ask(*asked, token=token)  # type: ignore[arg-type]
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["code"]
    assert answer.json["status"] == status


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body[:40].decode("latin-1"))
def test_a_body_that_cannot_be_meant_is_refused(
    served: tuple[HttpServers, str], body: bytes
) -> None:
    refused(served, BODIES[body], "POST", FACTS, JSON, body)


@pytest.mark.parametrize("path", PATHS)
def test_a_path_that_leads_nowhere_is_refused(served: tuple[HttpServers, str], path: str) -> None:
    refused(served, PATHS[path], "GET", path)


@pytest.mark.parametrize(("headers", "status"), HEADERS)
def test_a_header_that_cannot_be_meant_is_refused(
    served: tuple[HttpServers, str], headers: dict[str, str], status: int
) -> None:
    refused(served, status, "GET", FACTS, headers)


def test_other_types_and_methods_are_refused(served: tuple[HttpServers, str]) -> None:
    refused(served, 415, "POST", FACTS, {"Content-Type": "text/plain"}, b'{"text": "x"}')
    refused(served, 415, "POST", FACTS, {"Content-Type": "multipart/form-data"}, b"x")
    refused(served, 405, "PATCH", FACTS, JSON, b"{}")
    refused(served, 400, "POST", f"{FACTS}?text=x", JSON, b"{}")
    refused(served, 400, "POST", FACTS, {**JSON, "Idempotency-Key": "x" * 300}, b'{"text": "x"}')


def test_nothing_was_stored(served: tuple[HttpServers, str]) -> None:
    servers, token = served
    memory: Memory = servers.opened[token][1]
    assert memory.everything().facts.count(state="any") == 0
