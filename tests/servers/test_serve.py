"""`erstwhile serve` as a process: its first run, its end, its workers, and what operators ask."""

from __future__ import annotations

import http.client
import itertools
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any
from uuid import uuid4

import apsw
import pytest

import erstwhile
from erstwhile.cli.exit_codes import INTERNAL
from erstwhile.core.scope import Scope
from erstwhile.servers.tokens import Right, TokenFile
from tests.cli.shell import COMMAND, AtTerminal, Ended, at_terminal
from tests.contracts.base import paged
from tests.engines.postgres.server import shared_url
from tests.servers.http_server import PATIENCE, Response, Served, send

TURN = {"user": "I moved to Porto", "assistant": "Noted.", "wait": True}


@dataclass
class Process:
    """A server in a process of its own."""

    process: subprocess.Popen[str]
    port: int
    told: list[str]

    def ask(self, path: str, secret: str = "", body: Any = None) -> Response:
        """Send a GET, or a POST with a body."""
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        return send(self.port, "GET" if body is None else "POST", path, headers, body)

    def remember(self, secret: str, text: str) -> Response:
        return self.ask("/v1/facts", secret, {"text": text})

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextmanager
def running(
    folder: Path,
    *words: str,
    before: Sequence[str] = (),
    db: str = "a.db",
    command: Sequence[str] = COMMAND,
) -> Iterator[Process]:
    """Start a server with some options, and end it however the test went."""
    line = [*command, "--db", db, "--embedder", "none", *before]
    line += ["serve", "--port", "0", "--tokens", "t", *words]
    process = subprocess.Popen(line, cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr
        first = process.stderr.readline()
        port = int(re.findall(r":(\d+)$", first.strip())[0])
        served = Process(process, port, [first])
        wait_until(lambda: process.poll() is not None or served.ask("/readyz").status == 200)
        assert process.poll() is None
        yield served
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(PATIENCE)
        assert process.stderr
        process.stderr.close()


def wait_until(happened: Callable[[], bool]) -> None:
    """Wait until something happened; a connection may fail before."""
    until = time.monotonic() + PATIENCE
    while True:
        assert time.monotonic() < until
        with suppress(OSError):
            if happened():
                return
        time.sleep(0.02)


@contextmanager
def write_lock(file: Path) -> Iterator[None]:
    """Hold the lock of a writer, so that every change waits."""
    with closing(apsw.Connection(str(file))) as other:
        other.set_busy_timeout(10_000)
        other.execute("BEGIN IMMEDIATE")
        yield


def test_help_needs_no_package_of_the_extra() -> None:
    missing = "sys.modules.update(dict.fromkeys(['anyio', 'starlette', 'uvicorn', 'mcp']))"
    code = f"import sys; {missing}; from erstwhile.cli.start import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "serve", "--help"], capture_output=True, text=True, check=True
    )
    assert "--workers" in done.stdout


def test_a_missing_extra_is_named_before_anything_is_made(tmp_path: Path) -> None:
    code = "import sys; sys.modules['uvicorn'] = None; from erstwhile.cli.start import main; main()"
    line = [sys.executable, "-c", code, "--db", "a.db", "serve", "--port", "0", "--tokens", "t"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode
    assert "erstwhile[serve]" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_server_finishes_what_an_earlier_process_left(tmp_path: Path) -> None:
    with erstwhile.open(tmp_path / "a.db", embedder="none", learners=0) as memory:
        memory.scoped(user="ana").observe_turn("I live in Porto.", "Noted.")
    with running(tmp_path), erstwhile.open(tmp_path / "a.db", embedder="none") as memory:
        wait_until(lambda: memory.scoped(user="ana").facts.value("home") == "Porto")


def test_a_second_memory_has_a_token_of_its_own(tmp_path: Path) -> None:
    """The token of the first one does not open it. The server says which tokens do."""
    with running(tmp_path) as served:
        first = (tmp_path / "t.first").read_text("utf-8").strip()
        assert served.ask("/v1/stats", first).status == 200
    TokenFile(tmp_path / "t").make("everywhere", Scope(user="ana"), right=Right.READ)
    with running(tmp_path, db="b.db") as served:
        refused = served.ask("/v1/stats", first)
        assert (refused.status, refused.json["code"]) == (403, "refused")
        assert "made for it" in refused.json["remedy"]
        served.end()
        assert served.process.stderr
        told = served.process.stderr.read()
        assert "open it: everywhere (read, for user=ana)" in told
        assert "first" not in told
        assert "Traceback" not in told
    TokenFile(tmp_path / "t").revoke("everywhere")
    with running(tmp_path, db="b.db") as served:
        [file] = tmp_path.glob("t.first-*")
        second = file.read_text("utf-8").strip()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert (tmp_path / "t.first").read_text("utf-8").strip() == first != second
        assert served.ask("/v1/stats", second).status == 200
        assert served.ask("/v1/turns", second, TURN).status == 403  # an agent's
        served.end()
        assert served.process.stderr
        assert "b.db tokens make NAME --person" in served.process.stderr.read()


def test_the_first_token_acts_for_the_person_who_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = ("--db", "a.db", "--embedder", "none", "serve", "--port", "0", "--tokens", "t")
    with AtTerminal(*line) as terminal:
        terminal.wait_for("act for a person")
        terminal.type("y\r")
        terminal.wait_for("open it: first")
        said = terminal.said
        port, secret = (re.findall(each, said)[0] for each in (r":(\d+)", r"now: (\S+)"))
        served = Process(terminal._process, int(port), [])  # type: ignore[arg-type]
        wait_until(lambda: served.ask("/readyz").status == 200)
        turn = served.ask("/v1/turns", secret, TURN)
        assert turn.status == 200
        terminal.interrupt()
        terminal.finish()


def test_a_container_makes_the_token_of_a_person_from_a_mounted_secret(tmp_path: Path) -> None:
    """At its first start alone. A revoked one does not come back."""
    secret = f"erstwhile_{uuid4().hex * 2}"
    (tmp_path / "mounted").write_text(f"{secret}\n")
    code = (
        "import os, types, erstwhile.servers.tokens as tokens\n"
        "from erstwhile.cli.start import main\n"
        "other = {'geteuid': lambda: 10001, 'access': lambda *_: False};"
        "tokens.os = types.SimpleNamespace(**{**vars(os), **other}); main()"
    )
    other_account = [sys.executable, "-c", code]
    for _ in range(2):
        with running(tmp_path, "--person-token", "mounted", command=other_account) as served:
            turn = served.ask("/v1/turns", secret, TURN)
            assert turn.status == 200, turn.text
            made = served.ask("/v1", secret).json
            assert (made["person"], made["right"]) == (True, "admin")
        assert len((tmp_path / "t").read_text("utf-8").splitlines()) == 1
    TokenFile(tmp_path / "t").revoke("mounted")
    line = ("--db", "a.db", "serve", "--port", "0", "--tokens", "t", "--person-token", "mounted")
    assert "revoked" in call(tmp_path, *line, command=other_account).err
    assert "can write" in call(tmp_path, *line).err


def test_the_first_run_makes_a_token_and_serves(tmp_path: Path) -> None:
    """Without a terminal the token is in a private file, not in a log. SIGTERM ends it well."""
    (tmp_path / "t.first").touch()
    (tmp_path / "t.first").chmod(0o666)
    with running(tmp_path, before=["--user", "ana"]) as served:
        assert served.process.stderr
        told = served.process.stderr.readline()
        file = tmp_path / "t.first"
        secret = file.read_text("utf-8").strip()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert ("t.first" in told, secret in told) == (True, False)
        [token] = TokenFile(tmp_path / "t").tokens()
        assert (token.scope, token.right, token.person) == (Scope(user="ana"), Right.ADMIN, False)
        stored = served.remember(secret, "Ana likes tea")
        assert (stored.status, json.loads(stored.text)["scope"]["user"]) == (200, "ana")
        assert json.loads(served.ask("/healthz").text) == {"status": "ok"}
        assert served.ask("/nothing").status == 401
        assert served.ask("/v1/facts").status == 401
        assert send(served.port, "OPTIONS", "*").status == 401
        assert served.ask("/metrics").status == 401
        refused = served.ask("/metrics", secret)
        assert (refused.status, json.loads(refused.text)["title"]) == (403, "Forbidden")
        assert served.end() == 0
    with erstwhile.open(tmp_path / "a.db", embedder="none", create=False) as memory:
        assert memory.scoped(user="ana").facts.count() == 1


def test_a_change_under_way_is_finished_when_the_server_ends(tmp_path: Path) -> None:
    """SIGTERM comes while the change waits for the lock. It is acknowledged and stored."""
    secret = TokenFile(tmp_path / "t").make("test", right=Right.ADMIN).secret
    answers: list[Response] = []
    with running(tmp_path) as served:
        with write_lock(tmp_path / "a.db"):
            slow = Thread(target=lambda: answers.append(served.remember(secret, "It was slow")))
            slow.start()
            time.sleep(0.7)
            served.process.send_signal(signal.SIGTERM)
            time.sleep(0.7)
            assert (answers, served.process.poll()) == ([], None)
            with pytest.raises(OSError, match=r"."):
                served.remember(secret, "It came too late")
        slow.join(PATIENCE)
        assert [each.status for each in answers] == [200]
        assert served.process.wait(PATIENCE) == 0
    with erstwhile.open(tmp_path / "a.db", embedder="none", create=False) as memory:
        assert [fact.text for fact in memory.facts.list()] == ["It was slow"]


def test_open_event_streams_do_not_hold_up_the_end(tmp_path: Path) -> None:
    """They are ended in order, and long before the time for requests is over."""
    secret = TokenFile(tmp_path / "t").make("test", right=Right.ADMIN).secret
    with running(tmp_path, "--grace", "60") as served:
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE)
        connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {secret}"})
        stream = connection.getresponse()
        first = stream.readline()
        assert (stream.status, first) == (200, b"retry: 1000\n")
        begun = time.monotonic()
        assert served.end() == 0
        assert time.monotonic() - begun < 30
        assert (first + stream.read()).endswith(b"\n\n")
        connection.close()


def test_a_store_that_cannot_be_written_is_not_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process is still alive. It is ready again afterwards, and has left no record."""
    monkeypatch.setenv("ERSTWHILE_BUSY_TIMEOUT", "0.2")
    with running(tmp_path) as served:
        with write_lock(tmp_path / "a.db"):
            time.sleep(1.1)
            assert (served.ask("/readyz").status, served.ask("/healthz").status) == (503, 200)
        time.sleep(1.1)
        assert served.ask("/readyz").status == 200
    with erstwhile.open(tmp_path / "a.db", embedder="none", create=False) as memory:
        assert memory.everything().facts.count() == 0
        assert len(memory.everything().audit.list()) == 0


def test_several_workers_serve_one_file(tmp_path: Path) -> None:
    """They share the work, the tokens and the numbers, and one that is killed is replaced."""
    tokens = TokenFile(tmp_path / "t")
    secret, other = tokens.make("test").secret, tokens.make("other").secret
    with running(tmp_path, "--workers", "2") as served:
        children = _children(served.process.pid)
        assert len(children) == 2
        stored = [served.remember(secret, f"Fact {number}").status for number in range(40)]
        assert stored == [200] * 40
        bearer = {"Authorization": f"Bearer {secret}"}
        for _ in range(4):  # MCP, whichever worker answers
            assert "serverInfo" in Served(served.port).post(bearer).text
        tokens.revoke("other")
        assert {served.ask("/v1/facts", other).status for _ in range(20)} == {401}
        counted = re.search(
            r'requests_total\{app="v1",method="POST",status="200"\} (\S+)',
            served.ask("/metrics", secret).text,
        )
        assert counted
        assert float(counted[1]) == 40
        os.kill(children[0], signal.SIGKILL)
        wait_until(lambda: len(set(_children(served.process.pid)) - {children[0]}) == 2)
        assert {served.ask("/v1/facts", secret).status for _ in range(20)} == {200}
        assert served.end() == 0
    with erstwhile.open(tmp_path / "a.db", embedder="none", create=False) as memory:
        assert memory.facts.count() == 40


def test_a_killed_worker_loses_nothing_and_does_nothing_twice(tmp_path: Path) -> None:
    """Clients that write meanwhile send again what was not answered, to whichever worker."""
    secret = TokenFile(tmp_path / "t").make("test").secret
    acknowledged, doubtful, enough = list[str](), list[str](), Event()

    def write(memory: erstwhile.Memory, writer: int) -> None:
        for number in itertools.count():
            if enough.is_set():
                return
            text = f"{writer} says {number}"
            try:
                memory.tasks.add(text)
                acknowledged.append(text)
            except erstwhile.UncertainError:
                doubtful.append(text)

    with (
        running(tmp_path, "--workers", "2", "--rate", "0") as served,
        erstwhile.open(f"http://127.0.0.1:{served.port}", token=secret) as memory,
        ThreadPoolExecutor(4) as pool,
    ):
        writers = [pool.submit(write, memory, writer) for writer in range(4)]
        try:
            for _ in range(2):
                _kill_one(served.process.pid, acknowledged)
        finally:
            enough.set()
        for each in writers:
            each.result(PATIENCE)
        assert served.end() == 0
    with erstwhile.open(tmp_path / "a.db", embedder="none", create=False) as memory:
        stored = Counter(each.description for each in paged(memory.tasks.list))
    assert len(acknowledged) >= 10
    assert set(stored.values()) == {1}
    assert set(acknowledged) <= set(stored) <= {*acknowledged, *doubtful}


def _kill_one(parent: int, acknowledged: list[str]) -> None:
    """Kill a worker in the middle of changes, and wait for the next one."""
    before = len(acknowledged)
    wait_until(lambda: len(acknowledged) >= before + 5)
    killed = _children(parent)[0]
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: len(set(_children(parent)) - {killed}) == 2)


def test_several_workers_serve_several_spaces_of_postgresql(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token opens its space alone. The server is started with one, and opens the other."""
    first, second = uuid4().hex, uuid4().hex
    monkeypatch.setenv("ERSTWHILE_SPACE", first)
    tokens = TokenFile(tmp_path / "t")
    own = tokens.make("own", Scope(user="ana")).secret
    other = tokens.make("other", Scope(user="ana"), space=second).secret
    with running(tmp_path, "--workers", "2", db=shared_url()) as served:
        for number in range(6):
            assert served.remember(own, f"Own {number}").status == 200
            assert served.remember(other, f"Other {number}").status == 200
        for secret, word in ((own, "Own"), (other, "Other")):
            for _ in range(4):
                found = json.loads(served.ask("/v1/facts", secret).text)["items"]
                assert {each["text"].split()[0] for each in found} == {word}
                assert len(found) == 6
        assert served.end() == 0


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    return [int(each) for each in listed.split()]


def test_workers_that_cannot_begin_end_the_server(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"no database" * 1_000)
    ended = call(
        tmp_path, "--db", "a.db", "serve", "--port", "0", "--tokens", "t", "--workers", "2"
    )
    assert ended.code == INTERNAL
    assert "✗" in ended.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--host", "0.0.0.0"), "--behind-proxy"),  # noqa: S104
        (("--host", "::"), "TLS"),
        (("--host", "example.com"), "address"),
        (("--allow-origin", "*"), "not an origin"),
    ],
)
def test_an_option_that_would_let_too_many_in_is_refused(
    tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    ended = call(tmp_path, "--db", "a.db", "serve", "--tokens", "t", *words)
    assert ended.code
    assert told in ended.err
    assert not (tmp_path / "t").exists()


def test_tokens_are_made_listed_and_revoked(tmp_path: Path) -> None:
    """The secret is shown once. What a person may say needs a person."""
    words = ("--user", "ana", "tokens", "make", "laptop", "--right", "read", "--expires", "2 days")
    made = call(tmp_path, *words, "--tokens", "t").data
    found = TokenFile(tmp_path / "t").find(made["token"])
    assert found
    assert (found.name, found.scope, found.right) == ("laptop", Scope(user="ana"), Right.READ)
    assert found.expires_at
    listed = call(tmp_path, "tokens", "list", "--tokens", "t")
    assert [each["id"] for each in listed.items] == [made["id"]]
    assert made["token"] not in listed.out
    refused = call(tmp_path, "tokens", "make", "boss", "--person", "--tokens", "t")
    assert refused.error["error"] == "refused"
    assert call(tmp_path, "tokens", "revoke", made["id"][:6], "--tokens", "t").code == 0
    assert call(tmp_path, "tokens", "list", "--tokens", "t").items == []


def test_a_person_makes_a_token_at_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The secret is whole, on a line of its own. The table has no secret."""
    monkeypatch.chdir(tmp_path)
    with AtTerminal("tokens", "make", "boss", "--person", "--tokens", "t", columns=60) as terminal:
        terminal.wait_for("act for a person?")
        terminal.type("y\r")
        made = terminal.finish()
    [secret] = [line for line in made.words.splitlines() if line.startswith("erstwhile_")]
    found = TokenFile(tmp_path / "t").find(secret.strip())
    assert found
    assert (found.name, found.person) == ("boss", True)
    listed = at_terminal("tokens", "list", "--tokens", "t").words
    assert all(word in listed for word in (found.id, "boss", "write", "person", "yes"))
    assert secret.strip()[10:] not in listed


def call(folder: Path, *words: str, command: Sequence[str] = COMMAND) -> Ended:
    done = subprocess.run(
        [*command, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)
