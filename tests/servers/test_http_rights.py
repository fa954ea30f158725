"""Every route with every kind of token: who is refused, and that a refusal changes nothing."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote, urlencode

import pytest

import erstwhile
from erstwhile import Memory, Scope
from erstwhile.rpc.verbs import Verb, verbs
from erstwhile.servers.options import JSON, LINES
from erstwhile.servers.tokens import Right, TokenFile
from tests.contracts.base import unchanged
from tests.docs.pages import PROJECT
from tests.servers.http_server import PATIENCE, api_app, serving

EXAMPLES = json.loads((PROJECT / "src/erstwhile/servers/http/examples.json").read_text("utf-8"))
ANA, BEN = Scope(user="ana"), {"Erstwhile-User": "ben"}
WITHOUT_ACCESS = {"none": 401, "wrong": 401, "expired": 401, "revoked": 401, "other store": 403}
"""Kinds of tokens, and the status of each answer to them."""
HOLDERS = [(right, person) for right in Right for person in (True, False)]


@dataclass(frozen=True, slots=True)
class Route:
    """A request with the arguments of the example in the document of the API."""

    name: str
    right: Right
    method: str
    path: str
    body: bytes | None = None
    media_type: str = JSON


def route_of(verb: Verb) -> Route:
    example = EXAMPLES[verb.name]
    path = f"/v1{verb.path}"
    for name, value in example["path"].items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    if verb.has_body:
        body = json.dumps(example["arguments"]).encode()
        return Route(verb.name, Right(verb.right), verb.method, path, body)
    query = urlencode(example["arguments"], doseq=True)
    return Route(verb.name, Right(verb.right), verb.method, f"{path}?{query}" if query else path)


ROUTES = [
    *map(route_of, verbs().values()),
    Route("about", Right.READ, "GET", "/v1"),
    Route("events", Right.READ, "GET", "/v1/events"),
    Route("export", Right.ADMIN, "GET", "/v1/export"),
    Route("import", Right.ADMIN, "POST", "/v1/import", b"{}", LINES),
]


@dataclass(frozen=True, slots=True)
class Site:
    """A server, its memory, and the secrets of its tokens."""

    port: int
    memory: Memory
    secrets: Mapping[str, str]

    def ask(self, route: Route, secret: str, headers: Mapping[str, str]) -> tuple[int, Any]:
        """Return the status and the error of an answer."""
        given = {"Authorization": f"Bearer {secret}"} if secret else {}
        sent = {**given, "Content-Type": route.media_type, **headers}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with closing(connection):
            connection.request(route.method, route.path, route.body, sent)
            answer = connection.getresponse()  # an event stream has no end, so it is not read
            return answer.status, json.loads(answer.read()) if answer.status >= 400 else None


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    tokens = TokenFile(tmp_path_factory.mktemp("tokens") / "tokens")
    ended = datetime.now(UTC) - timedelta(days=1)
    made = {
        "none": "",
        "wrong": f"erstwhile_{'x' * 43}",
        "expired": tokens.make("expired", right=Right.ADMIN, expires_at=ended).secret,
        "revoked": tokens.make("revoked", right=Right.ADMIN).secret,
        "other store": tokens.make("other", right=Right.ADMIN, store="/elsewhere.db").secret,
        "ana": tokens.make("ana", ANA, right=Right.ADMIN, person=True).secret,
    }
    tokens.revoke("revoked")
    for right, person in HOLDERS:
        name = f"{right}-{'person' if person else 'agent'}"
        made[name] = tokens.make(name, right=right, person=person).secret
    with erstwhile.open(":memory:", embedder="none") as memory:
        memory.scoped(user="ana").remember("Ana likes tea")
        with serving(api_app(tokens, memory, a_second=0.0)) as served:
            yield Site(served.port, memory, made)


def named(route: Route) -> str:
    return route.name


@pytest.mark.parametrize("route", ROUTES, ids=named)
def test_a_token_without_access_learns_and_changes_nothing(site: Site, route: Route) -> None:
    with unchanged(site.memory):
        answers = {kind: site.ask(route, site.secrets[kind], {}) for kind in WITHOUT_ACCESS}
    assert {kind: status for kind, (status, _) in answers.items()} == WITHOUT_ACCESS
    errors = [error for status, error in answers.values() if status == 401]
    assert errors == errors[:1] * len(errors)


@pytest.mark.parametrize("route", ROUTES, ids=named)
def test_no_header_widens_the_scope_of_a_token(site: Site, route: Route) -> None:
    if route.name == "about":  # it tells about the token alone
        return
    with unchanged(site.memory):
        for headers in (BEN, {"Erstwhile-Everything": "true"}):
            status, error = site.ask(route, site.secrets["ana"], headers)
            assert (status, error["code"]) == (403, "scope")


@pytest.mark.parametrize("route", ROUTES, ids=named)
def test_a_token_needs_the_right_of_the_route(site: Site, route: Route) -> None:
    order = list(Right)
    for right, person in HOLDERS:
        secret = site.secrets[f"{right}-{'person' if person else 'agent'}"]
        if order.index(right) < order.index(route.right):
            with unchanged(site.memory):
                status, error = site.ask(route, secret, {})
            assert (status, error["code"]) == (403, "refused")
            assert f"needs the right '{route.right}'" in error["detail"]
        else:
            status, error = site.ask(route, secret, {})
            assert status < 500
            assert status != 401
            assert "needs the right" not in str(error)
