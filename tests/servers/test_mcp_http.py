"""The MCP server over HTTP: a real session, and the attacks on servers of this machine."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.server.subscriptions import ResourceUpdated

import erstwhile
from erstwhile import Memory
from erstwhile.core.scope import Scope
from erstwhile.servers.app import build_app
from erstwhile.servers.mcp.http import PATH, McpApp, mcp_app
from erstwhile.servers.mcp.resources import memory_surface
from erstwhile.servers.mcp.server import MemoryServer
from erstwhile.servers.options import ServerOptions
from erstwhile.servers.tokens import Right, Spaces, TokenFile
from tests.cli.shell import COMMAND
from tests.servers.http_server import Served, serving
from tests.servers.talking import ERAS, Talk, run_talk, talking
from tests.servers.test_mcp_tools import deny_publishing, work_with_memory

MAX_SIZE = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Place:
    """A served memory, and its tokens."""

    served: Served
    memory: Memory
    made: dict[str, str]
    """The tokens of two users, one that may only read, and one that was revoked."""

    def bearer(self, user: str) -> str:
        return f"Bearer {self.made[user]}"

    def talk(self, user: str, story: Any, mode: str = "auto") -> None:
        run_talk(transport(self.served.address, self.bearer(user)), story, mode)


@asynccontextmanager
async def transport(address: str, bearer: str) -> Any:
    """Connect a client that sends a token."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": bearer}) as client,
        streamable_http_client(address, http_client=client) as streams,
    ):
        yield streams


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("http")
    tokens = TokenFile(folder / "tokens")
    made = {name: tokens.make(name, Scope(user=name)).secret for name in ("ana", "bo", "revoked")}
    tokens.revoke("revoked")
    made["reader"] = tokens.make("reader", Scope(user="ana"), right=Right.READ).secret
    with erstwhile.open(folder / "a.db", embedder="none") as memory:
        for user in ("ana", "bo"):
            deny_publishing(memory.scoped(user=user))
        application = mcp_app(
            MemoryServer(memory_surface()), memory, tokens, hosts=["shop.example"]
        )
        with serving(application) as served:
            yield Place(served, memory, made)


@pytest.mark.parametrize(("version", "user"), [*zip(ERAS, ("ana", "bo"), strict=True)])
def test_a_model_works_with_its_memory_over_http(place: Place, version: str, user: str) -> None:
    """In both eras. The scope is that of the token, whose name the audit trail has."""

    async def story(talk: Talk) -> None:
        assert talk.client.protocol_version == version
        await work_with_memory(talk, f"agent/mcp:{user}:test-client")

    place.talk(user, story, ERAS[version])
    facts = place.memory.scoped(user=user).facts
    assert facts.find("Ana lives in Porto").scope == Scope(user=user)
    assert place.memory.facts.count() == 0


def test_the_token_of_another_scope_sees_nothing_of_this_one(place: Place) -> None:
    """Not by a tool, a resource or an id; and no argument widens the scope."""
    fact = place.memory.scoped(user="ana").remember("Ana has a secret garden")

    async def story(talk: Talk) -> None:
        assert (await talk("recall", query="secret garden"))["hits"] == []
        assert (await talk.failure("history", fact=fact.id)).startswith("not_found: ")
        with pytest.raises(MCPError, match="not found"):
            await talk.client.read_resource(f"memory://facts/{fact.id}")
        widened = await talk.failure("recall", query="garden", user="ana")
        assert widened.startswith("invalid_input: ")

    place.talk("bo", story)


def test_a_session_belongs_to_its_token(place: Place) -> None:
    mine = place.served.post({"Authorization": place.bearer("ana")})
    session = mine.headers["mcp-session-id"]
    ping = b'{"jsonrpc":"2.0","id":2,"method":"ping"}'
    given = {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18"}
    assert place.served.post({"Authorization": place.bearer("ana"), **given}, ping).status == 200
    assert place.served.post({"Authorization": place.bearer("bo"), **given}, ping).status == 404


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (200, {}),
        (200, {"Origin": "http://127.0.0.1:PORT", "Sec-Fetch-Site": "same-origin"}),
        (200, {"Host": "localhost:PORT"}),
        (200, {"Host": "shop.example", "Origin": "https://shop.example"}),
        (401, {"Authorization": ""}),
        (401, {"Authorization": "", "Cookie": "token=TOKEN"}),
        (401, {"Authorization": "Bearer wrong", "Cookie": "token=TOKEN"}),
        (401, {"Authorization": "Bearer REVOKED"}),
        (403, {"Origin": "https://evil.example"}),
        (403, {"Sec-Fetch-Site": "cross-site"}),
        (421, {"Host": "evil.example"}),
        (421, {"Host": "evil.example:PORT"}),
        (400, {"Content-Type": "text/plain"}),
    ],
)
def test_the_middleware_checks_requests_first(
    place: Place, status: int, headers: dict[str, str]
) -> None:
    """And tells an attacker nothing. `test_http_security.py` has more attacks on it."""
    given = {"Authorization": place.bearer("ana"), **headers}
    values = {"TOKEN": place.made["ana"], "REVOKED": place.made["revoked"]}
    for word, value in {**values, "PORT": f"{place.served.port}"}.items():
        given = {name: text.replace(word, value) for name, text in given.items()}
    answer = place.served.post(given)
    assert (answer.status, "serverInfo" in answer.text) == (status, status == 200)
    assert "access-control-allow-origin" not in answer.headers


def test_tricks_with_the_path_find_nothing(place: Place) -> None:
    right = {"Authorization": place.bearer("ana")}
    for path in ("/", "/mcp/../mcp/x", "/mcp%2f", "//mcp", "/mcp/..%2f..%2fetc/passwd", "/MCP"):
        assert place.served.post(right, path=path).status in (307, 404), path
        assert place.served.post({}, path=path).status == 401, path


def test_a_body_that_is_too_large_is_refused(place: Place) -> None:
    right = {"Authorization": place.bearer("ana")}
    assert place.served.post(right, b" " * (MAX_SIZE + 1)).status == 413


def test_a_token_that_may_only_read_calls_no_tool_that_changes(place: Place) -> None:
    fact = place.memory.scoped(user="ana").remember("Ana reads the news")

    async def story(talk: Talk) -> None:
        assert (await talk("recall", query="news"))["hits"][0]["text"] == fact.text
        told = await talk.failure("remember", text="Ana writes the news")
        assert told == "refused: the token of this client may only read"
        for tool in ("blocks", "tasks"):
            assert set(await talk(tool, action="list")) == {tool}
        call = {"tool": "bash", "input": {"command": "ls"}, "goal": "look"}
        assert (await talk("decisions", action="advise", **call))["suggestion"] == "ask"
        for tool, given in (("blocks", {"action": "create", "block": "a", "text": "b"}),
                            ("tasks", {"action": "add", "description": "c"}),
                            ("decisions", {"action": "record", **call})):  # fmt: skip
            assert (await talk.failure(tool, **given)) == told

    place.talk("reader", story)
    assert place.memory.scoped(user="ana").facts.list(contains="writes the news").items == ()


def test_a_token_opens_nothing_beyond_the_scope_of_the_server(
    tmp_path: Path, memory: Memory
) -> None:
    """The memory is Ana's; a token for somebody else is useless here."""
    tokens = TokenFile(tmp_path / "tokens")
    other = tokens.make("bo", Scope(user="bo")).secret
    own = tokens.make("ana", Scope(user="ana", project="shop")).secret
    with serving(mcp_app(MemoryServer(memory_surface()), memory, tokens)) as served:
        assert served.post({"Authorization": f"Bearer {other}"}).status == 403
        assert served.post({"Authorization": f"Bearer {own}"}).status == 200


@contextmanager
def one_of_several_workers(file: Path, tokens: TokenFile) -> Iterator[Served]:
    """Serve a file as each of several processes does."""
    app = McpApp(MemoryServer(memory_surface()), stateless=True)
    with erstwhile.open(file, embedder="none") as memory:
        memory_of, options = Spaces(memory, "main").memory_of, ServerOptions()
        application = build_app({PATH: app}, tokens, memory_of, options, lifespan=app.lifespan)
        with serving(application) as served:
            yield served


def test_a_listener_at_one_worker_hears_of_a_change_at_another(tmp_path: Path) -> None:
    tokens, heard = TokenFile(tmp_path / "tokens"), list[Any]()
    bearer = f"Bearer {tokens.make('ana', Scope(user='ana')).secret}"
    with (
        one_of_several_workers(tmp_path / "a.db", tokens) as first,
        one_of_several_workers(tmp_path / "a.db", tokens) as second,
    ):

        async def story(talk: Talk) -> None:
            async with talk.client.listen(resource_subscriptions=["memory://profile"]) as events:
                async with talking(transport(second.address, bearer)) as other:
                    await other("remember", text="Porto", key="city")
                heard.append(await anext(events))

        run_talk(transport(first.address, bearer), story)
    assert heard == [ResourceUpdated(uri="memory://profile")]


@pytest.mark.filterwarnings("ignore:resources/:UserWarning")
def test_several_workers_offer_no_subscription_that_needs_a_session(tmp_path: Path) -> None:
    """A client of the era with a handshake is told so, instead of waiting for ever."""
    tokens = TokenFile(tmp_path / "tokens")
    bearer = f"Bearer {tokens.make('ana').secret}"

    async def story(talk: Talk) -> None:
        offered = talk.client.server_capabilities.resources
        assert offered is not None
        assert offered.subscribe is False
        with pytest.raises(MCPError, match="Method not found"):
            await talk.client.subscribe_resource("memory://profile")

    with one_of_several_workers(tmp_path / "a.db", tokens) as served:
        run_talk(transport(served.address, bearer), story, "legacy")
        with httpx2.Client(headers={"Authorization": bearer}) as client:
            answer = client.get(served.address, headers={"Accept": "text/event-stream"})
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert "one worker" in answer.json()["remedy"]


def test_the_command_makes_a_token_once_and_shows_it_once(tmp_path: Path) -> None:
    """It listens on this machine alone, and ends when it is interrupted."""
    words = ["--db", "a.db", "--user", "ana", "--embedder", "none", "mcp"]
    line = [*COMMAND, *words, "--http", "--port", "0", "--tokens", "t"]
    told = []
    for _ in range(2):
        process = subprocess.Popen(
            line,
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
            # A shell that runs the tests in the background lets its children ignore it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        assert process.stderr
        told.append(process.stderr.readline())
        if len(told) == 1:
            told.append(process.stderr.readline())
            port = int(re.findall(r":(\d+)/mcp", told[0])[0])
            secret = told[1].split()[-1]
            assert Served(port).post({"Authorization": f"Bearer {secret}"}).status == 200
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[1]
        assert "erstwhile_" not in rest
    assert (told[1][:9], told[2][:10]) == ("The token", "Serving at")
