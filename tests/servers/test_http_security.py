"""Attacks on servers over HTTP, one by one, against the middleware."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from threading import Event
from typing import Any

import anyio
import pytest
from anyio.to_thread import run_sync
from starlette.responses import JSONResponse
from starlette.types import Receive, Send
from starlette.types import Scope as AsgiScope

import erstwhile
from erstwhile import Memory
from erstwhile.core.scope import Scope
from erstwhile.servers.app import build_app
from erstwhile.servers.options import MEMORY, TOKEN, Limits, ServerOptions
from erstwhile.servers.rate_limit import RateLimit
from erstwhile.servers.tokens import Right, Spaces, TokenFile
from tests.servers.http_server import Response, Served, api_app, send, serving

MAX_SIZE = 10_000
CONTENT = "a secret garden"
PAGE = "https://app.example"


class Echo:
    """An application that tells what it got, waits if it is told to, and can fail."""

    def __init__(self) -> None:
        self.waiting, self.go_on = Event(), Event()
        self.calls = 0

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        self.calls += 1
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            size, more = size + len(message["body"]), message.get("more_body", False)
        if scope["path"] == "/v1/wait":
            self.waiting.set()
            await run_sync(self.go_on.wait, 30)
        if scope["path"] == "/v1/fail":
            raise ValueError(CONTENT)
        told = {"size": size, "scope": str(scope[MEMORY].scope), "token": scope[TOKEN].name}
        await JSONResponse(told)(scope, receive, send)


@dataclass(frozen=True, slots=True)
class Site:
    """A served application and its tokens."""

    served: Served
    echo: Echo
    tokens: TokenFile
    made: dict[str, str]

    def ask(self, body: bytes = b"{}", *, path: str = "/v1/x", **headers: Any) -> Response:
        """Send a request of Ana, with some headers changed."""
        given = {"Authorization": f"Bearer {self.made['ana']}"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.served.post({**given, **named}, body, path=path)

    def connect(self, text: str) -> socket.socket:
        """Open a connection and send bytes as they are, with the host and the token of Ana."""
        filled = text.replace("HOST", f"127.0.0.1:{self.served.port}")
        filled = filled.replace("TOKEN", self.made["ana"]).replace("\n", "\r\n")
        raw = socket.create_connection(("127.0.0.1", self.served.port), 30)
        raw.sendall(filled.encode("latin-1"))
        return raw

    def raw(self, text: str, *, ended: bool = True) -> bytes:
        """Send bytes as they are, and return all that comes back."""
        with self.connect(text) as raw:
            if ended:
                raw.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: raw.recv(10_000), b""))


def is_closed(raw: socket.socket) -> bool:
    """Wait until the other side closes the connection, in either way."""
    try:
        return raw.recv(1000) == b""
    except ConnectionResetError:
        return True


def site_with(folder: Path, memory: Memory, **limits: Any) -> tuple[Any, Echo, TokenFile]:
    echo, tokens = Echo(), TokenFile(folder / "tokens")
    options = ServerOptions(
        hosts=["memory.example"],
        origins=[PAGE],
        limits=Limits(**{"body_bytes": MAX_SIZE, "a_second": 0.0, **limits}),
    )
    memory_of = Spaces(memory, "main").memory_of
    return build_app({"/v1": echo}, tokens, memory_of, options), echo, tokens


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("gate")
    with erstwhile.open(":memory:", embedder="none") as opened:
        memory = opened.scoped(project="shop")
        application, echo, tokens = site_with(folder, memory, body_seconds=0.4, at_once=2)
        past = datetime.now(UTC) - timedelta(seconds=1)
        made = {
            "ana": tokens.make("ana", Scope(user="ana")).secret,
            "other": tokens.make("other", Scope(project="bank")).secret,
            "space": tokens.make("space", space="tenant").secret,
            "expired": tokens.make("expired", expires_at=past).secret,
            "revoked": tokens.make("revoked").secret,
        }
        tokens.revoke("revoked")
        with serving(application, limits=Limits(head_seconds=0.4)) as served:
            yield Site(served, echo, tokens, made)


def problem(response: Response) -> dict[str, Any]:
    assert response.headers["content-type"] == "application/problem+json"
    told: dict[str, Any] = response.json
    assert told["status"] == response.status
    assert told["title"] == HTTPStatus(response.status).phrase
    assert told.get("remedy", "nothing to do")
    assert CONTENT not in response.text
    return told


def test_a_request_with_a_token_passes(site: Site) -> None:
    """So that the refusals below are for their reason."""
    response = site.ask(b'{"a": 1}')
    assert response.status == 200
    told = response.json
    assert told == {"size": 8, "scope": "user=ana project=shop", "token": "ana"}


def test_every_answer_protects_itself(site: Site) -> None:
    for headers in (site.ask().headers, site.ask(Authorization="").headers):
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "server" not in headers
        assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "given",
    ["", "Bearer", "Bearer ", "Basic abc", "Bearer wrong", "Bearer REVOKED", "Bearer EXPIRED",
     "Bearer DIGEST"],
)  # fmt: skip
def test_no_token_or_one_that_is_wrong_or_has_ended(site: Site, given: str) -> None:
    before = site.echo.calls
    given = given.replace("DIGEST", site.tokens.tokens()[0].digest)
    for name in ("revoked", "expired"):
        given = given.replace(name.upper(), site.made[name])
    response = site.ask(Authorization=given)
    assert (response.status, problem(response)["code"]) == (401, "refused")
    assert response.headers["www-authenticate"] == "Bearer"
    assert site.echo.calls == before


def test_a_token_that_is_revoked_while_the_server_runs(site: Site) -> None:
    secret = site.tokens.make("short-lived").secret
    assert site.ask(Authorization=f"Bearer {secret}").status == 200
    site.tokens.revoke("short-lived")
    assert site.ask(Authorization=f"Bearer {secret}").status == 401


@pytest.mark.parametrize("name", ["other", "space"])
def test_the_token_of_another_scope_or_space(site: Site, name: str) -> None:
    """The server is for one project. The answer does not tell which."""
    response = site.ask(Authorization=f"Bearer {site.made[name]}")
    assert (response.status, "shop" in response.text) == (403, False)


@pytest.mark.parametrize(
    "query", ["?access_token=SECRET", "?a=1&token=SECRET", "?q=SECRET", "?q=erstwhile%5FREST"]
)
def test_a_token_in_the_address_is_refused(site: Site, query: str) -> None:
    """Even beside a right one: somebody should learn that it is in a log now."""
    secret = site.made["ana"]
    path = "/v1/x" + query.replace("SECRET", secret).replace("REST", secret[10:])
    response = site.ask(path=path)
    assert response.status == 400
    assert secret not in response.text
    assert "revoke" in problem(response)["remedy"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:PORT.evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": f"{PAGE}.evil.example"},
        {"Origin": "http://app.example"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Origin": "http://127.0.0.1:PORT", "Sec_Fetch_Site": "cross-site"},
    ],
)
def test_a_cross_origin_post(site: Site, headers: dict[str, str]) -> None:
    port = str(site.served.port)
    given: dict[str, Any] = {name: each.replace("PORT", port) for name, each in headers.items()}
    response = site.ask(**given)
    assert (response.status, problem(response)["code"]) == (403, "refused")


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:PORT", "127.0.0.1:PORT@evil.example", "127.0.0.1:1",
     "127.0.0.1", "localhost.evil.example:PORT"],
)  # fmt: skip
def test_dns_rebinding(site: Site, host: str) -> None:
    response = site.ask(Host=host.replace("PORT", str(site.served.port)))
    assert (response.status, problem(response)["title"]) == (421, "Misdirected Request")


def test_the_names_that_are_allowed(site: Site) -> None:
    for host in ("memory.example", "MEMORY.example", f"localhost:{site.served.port}"):
        assert site.ask(Host=host).status == 200
    assert site.ask(Host="memory.example", Origin="https://memory.example").status == 200


def test_a_page_that_is_configured_may_call_and_no_other(site: Site) -> None:
    """A browser asks first, without a token. The answer names exactly this page."""
    asked: dict[str, Any] = {"Origin": PAGE, "Sec_Fetch_Site": "cross-site"}
    response = site.ask(**asked)
    assert response.status == 200
    assert response.headers["access-control-allow-origin"] == PAGE
    assert "access-control-allow-credentials" not in response.headers
    for origin, status in ((PAGE, 200), ("https://evil.example", 400)):
        head = f"OPTIONS /v1/x HTTP/1.1\nHost: HOST\nOrigin: {origin}\n"
        got = site.raw(f"{head}Access-Control-Request-Method: POST\nConnection: close\n\n")
        assert got.startswith(b"HTTP/1.1 %d " % status)
        assert (b"access-control-allow-origin" in got) is (status == 200)


@pytest.mark.parametrize("page", ["*", "https://*.example", "app.example", "https://a/b", "null"])
def test_a_pattern_for_pages_is_refused(page: str) -> None:
    with pytest.raises(erstwhile.InvalidInputError):
        ServerOptions(origins=[page])


def test_a_body_that_is_too_large(site: Site) -> None:
    """By its announced length, and by what really comes. The client can read why."""
    before = site.echo.calls
    assert site.ask(b"x" * (MAX_SIZE + 1)).status == 413
    assert site.echo.calls == before
    chunk = f"{MAX_SIZE + 1:x}\n{'x' * (MAX_SIZE + 1)}\n0\n\n"
    head = "POST /v1/x HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n"
    got = site.raw(f"{head}Transfer-Encoding: chunked\n\n{chunk}")
    assert got.startswith(b"HTTP/1.1 413 ")
    assert site.ask(b"x" * MAX_SIZE).status == 200


def test_a_stream_may_have_any_size(site: Site) -> None:
    response = site.ask(b"x" * (3 * MAX_SIZE), path="/v1/import")
    assert (response.status, response.json["size"]) == (200, 3 * MAX_SIZE)


def test_a_slow_body(site: Site) -> None:
    """A client that does not send what it promised holds no connection for long."""
    begun = time.monotonic()
    head = "POST /v1/x HTTP/1.1\nHost: HOST\nContent-Length: 99\nAuthorization: Bearer TOKEN\n\n{"
    assert site.raw(head, ended=False).startswith(b"HTTP/1.1 408 ")
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize("sent", ["", "POST /v1/x HTTP/1.1\nHost: a"])
def test_a_slow_head(site: Site, sent: str) -> None:
    """The connection is closed, also if one byte comes after another."""
    with site.connect(sent) as raw:
        for _ in range(3):
            time.sleep(0.05)
            raw.sendall(b"a" if sent else b"")
        assert is_closed(raw)


def test_a_slow_head_after_a_request(site: Site) -> None:
    with site.connect("GET /v1/x HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n") as raw:
        got = b""
        while not got.endswith(b'"ana"}'):
            got += raw.recv(10_000)
        raw.sendall(b"GET /v1/x HT")
        begun = time.monotonic()
        assert is_closed(raw)
        assert time.monotonic() - begun < 4


@pytest.mark.parametrize(
    "path",
    ["/", "//v1/x", "/v1%2fx/../../etc/passwd", "/../v1/x", "/V1/x", "/%76%32/x", "/etc/passwd",
     "/%00", "/healthz/../v1/x", "/.git/config"],
)  # fmt: skip
def test_tricks_with_the_path(site: Site, path: str) -> None:
    """Without a token, nothing is told about any path. With one, only what is there is found."""
    assert site.ask(path=path, Authorization="").status == 401
    response = site.ask(path=path)
    assert response.status in (200, 404)
    if response.status == 200:
        assert response.json["scope"] == "user=ana project=shop"


@pytest.mark.parametrize(
    "lines",
    [
        "X: a\rAuthorization: Bearer TOKEN",
        "X: a\0b",
        "X : a",
        " X: a",
        "Authorization: Bearer TOKEN\nAuthorization: Bearer wrong",
        "Authorization: Bearer wrong\nAuthorization: Bearer TOKEN",
        "Authorization: Bearer TOKEN\nHost: evil.example",
        "Authorization: Bearer TOKEN\nOrigin: http://HOST\nOrigin: https://evil.example",
        "Authorization: Bearer TOKEN\nContent-Type: application/json\nContent-Type: text/plain",
        "Authorization: Bearer TOKEN\nIdempotency-Key: a\nIdempotency-Key: b",
        "Authorization: Bearer TOKEN\nErstwhile-User: bo\nerstwhile-user: ana",
    ],
)
def test_headers_cannot_be_injected_nor_doubled(site: Site, lines: str) -> None:
    before = site.echo.calls
    got = site.raw(f"GET /v1/x HTTP/1.1\nHost: HOST\n{lines}\nConnection: close\n\n")
    assert re.match(rb"HTTP/1.1 4(00|01|21) ", got)
    assert site.echo.calls == before


@pytest.mark.parametrize(
    "lines",
    [
        "Content-Length: 5\nContent-Length: 6",
        "Content-Length: 5\nTransfer-Encoding: chunked",
        "Content-Length: +5",
        "Content-Length: -5",
        "Content-Length: 5 5",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked\nTransfer-Encoding: chunked",
        "Transfer-Encoding: xchunked",
        "Content-Length : 5",
    ],
)
def test_a_request_has_one_length(site: Site, lines: str) -> None:
    """A proxy could read the rest as another request, of somebody else."""
    before = site.echo.calls
    head = f"POST /v1/x HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n{lines}\n\n"
    got = site.raw(f"{head}0\n\nGET /v1/hidden HTTP/1.1\nHost: HOST\n\n")
    assert re.match(rb"HTTP/1.1 (400|501) ", got)
    assert got.count(b"HTTP/1.1 ") == 1
    assert site.echo.calls == before


def test_a_failure_tells_and_logs_no_content(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    response = site.ask(path="/v1/fail")
    assert (response.status, problem(response)["code"]) == (500, "error")
    assert "a request failed" in caplog.text
    assert CONTENT not in caplog.text


def test_too_many_requests_at_once(site: Site) -> None:
    """Those under way are finished, and the next one is told to come back."""
    answers: list[int] = []

    async def story() -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(2):
                tasks.start_soon(run_sync, lambda: answers.append(site.ask(path="/v1/wait").status))
            with anyio.fail_after(20):
                while site.echo.calls < before + 2:
                    await anyio.sleep(0.01)
            refused = await run_sync(site.ask)
            answers.append(refused.status)
            assert refused.headers["retry-after"] == "1"
            site.echo.go_on.set()

    before = site.echo.calls
    site.echo.go_on.clear()
    anyio.run(story)
    assert answers == [503, 200, 200]
    assert site.ask().status == 200


def test_a_token_that_asks_too_often(tmp_path: Path, memory: Memory) -> None:
    """It is told when to come back. Another token is not held up."""
    application, _, tokens = site_with(tmp_path, memory, a_second=0.5, burst=6.0)
    made = {name: tokens.make(name).secret for name in ("ana", "bo")}
    with serving(application) as served:
        site = Site(served, Echo(), tokens, made)
        found = [site.ask() for _ in range(4)]
        assert [each.status for each in found] == [200, 200, 200, 429]
        assert problem(found[-1])["code"] == "busy"
        assert int(found[-1].headers["retry-after"]) in (1, 2)
        assert site.ask(Authorization=f"Bearer {made['bo']}").status == 200


def test_the_rate_is_counted_in_bounded_memory() -> None:
    now = [0.0]
    rate = RateLimit(10.0, 0.1, lambda: now[0], most=100)
    for number in range(1_000):
        assert rate.refuse(str(number)) == 0
    assert len(rate._buckets) == 100
    assert rate.refuse("999") == 1
    now[0] += 0.1
    assert rate.refuse("999") == 0


class Api:
    """The HTTP API of a memory that is limited to Ana, with tokens of several holders."""

    def __init__(self, served: Served, tokens: TokenFile) -> None:
        self.port = served.port
        self.tokens = tokens
        shop, bank = Scope(user="ana", project="shop"), Scope(user="ana", project="bank")
        self.made = {
            "agent": tokens.make("agent", shop).secret,
            "person": tokens.make("person", shop, person=True).secret,
            "reader": tokens.make("reader", shop, right=Right.READ).secret,
            "bank": tokens.make("bank", bank, right=Right.ADMIN).secret,
        }

    def bearer(self, who: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.made[who]}"}

    def ask(self, who: str, method: str, path: str, body: Any = None, **more: str) -> Response:
        return send(self.port, method, path, {**self.bearer(who), **more}, body)

    def open_stream(self, who: str) -> tuple[HTTPConnection, HTTPResponse]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", "/v1/events", None, self.bearer(who))
        return connection, connection.getresponse()


@pytest.fixture
def api(tmp_path: Path, memory: Memory) -> Iterator[Api]:
    tokens = TokenFile(tmp_path / "tokens")
    with serving(api_app(tokens, memory, streams=3, streams_of_token=2)) as served:
        yield Api(served, tokens)


def test_a_token_of_another_scope_reaches_no_record_of_the_api(api: Api) -> None:
    """Not by a list, an id, a search, a wider header, or the right to administrate."""
    stored = api.ask("person", "POST", "/v1/facts", {"text": CONTENT}).json
    assert api.ask("reader", "GET", f"/v1/facts/{stored['id']}").status == 200
    seen = [
        api.ask("bank", "GET", "/v1/facts"),
        api.ask("bank", "GET", f"/v1/facts/{stored['id']}"),
        api.ask("bank", "POST", "/v1/recall", {"query": CONTENT}),
        api.ask("bank", "POST", "/v1/facts/erase", {"ids": [stored["id"]]}),
        api.ask("bank", "GET", "/v1/facts", **{"Erstwhile-Project": "shop"}),
        api.ask("bank", "GET", "/v1/facts", **{"Erstwhile-User": "bo"}),
        api.ask("bank", "GET", "/v1/facts", **{"Erstwhile-Everything": "true"}),
    ]
    assert not [each.text for each in seen if CONTENT in each.text]
    assert [each.status for each in seen[-3:]] == [403, 403, 403]
    assert api.ask("person", "GET", f"/v1/facts/{stored['id']}").status == 200


def test_a_token_moves_no_fact_into_or_out_of_its_scope(api: Api, memory: Memory) -> None:
    """Neither is a fact published, nor one of others taken; below its scope it may move."""
    stored = api.ask("person", "POST", "/v1/facts", {"text": CONTENT}).json
    wider = memory.remember("Ana owns the garden")
    for id, to in (
        (stored["id"], "user"),
        (stored["id"], "shared"),
        (wider.id, ["user", "project"]),
    ):
        refused = api.ask("person", "POST", f"/v1/facts/{id}/move", {"to": to})
        assert refused.status == 403
        assert "stays within" in refused.text
    path, here = f"/v1/facts/{stored['id']}/move", {"Erstwhile-Session": "s"}
    within = {"to": ["user", "project", "session"]}
    assert api.ask("agent", "POST", path, within, **here).status == 403
    moved = api.ask("person", "POST", path, within, **here).json
    assert api.ask("person", "GET", f"/v1/facts/{moved['id']}").status == 404
    assert api.ask("person", "POST", f"/v1/facts/{moved['id']}/undo", {}, **here).status == 200
    assert api.ask("bank", "GET", "/v1/facts").json["items"][0]["text"] == wider.text


def test_a_stream_ends_with_its_token(api: Api) -> None:
    """What is stored after a token was revoked is not sent any more."""
    connection, stream = api.open_stream("reader")
    with closing(connection):
        assert stream.readline().startswith(b"retry")
        api.tokens.revoke("reader")
        api.ask("person", "POST", "/v1/facts", {"text": "Tea is green"})
        assert b"data" not in stream.read()


def test_event_streams_are_limited_for_each_token_and_in_all(api: Api) -> None:
    """One too many is refused, and told when to come back. A place is free again after an end."""
    with ExitStack() as stack:

        def stream(who: str) -> HTTPResponse:
            connection, response = api.open_stream(who)
            opened.append(stack.enter_context(closing(connection)))
            return response

        opened = list[HTTPConnection]()
        assert [stream("agent").status, stream("agent").status] == [200, 200]
        refused = stream("agent")
        assert (refused.status, refused.headers["retry-after"]) == (429, "10")
        assert refused.headers["content-type"] == "application/problem+json"
        told = json.loads(refused.read())
        assert (told["code"], "this token" in told["detail"]) == ("busy", True)
        assert [stream("bank").status, stream("bank").status] == [200, 429]
        assert api.ask("agent", "GET", "/v1/facts").status == 200
        opened[0].close()
        until = time.monotonic() + 30
        while (again := stream("agent")).status != 200:
            assert time.monotonic() < until
            time.sleep(0.05)
        assert again.readline().startswith(b"retry")
