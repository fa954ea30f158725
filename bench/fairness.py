"""Measure how long other clients wait while one token attacks a server.

python -m bench.fairness    print the rows for docs/security.md

A server runs in a process of its own, the attacker in another one. The victim, with another token,
stores and lists facts one after the other. Its times are compared with those of the same run
without an attack, beside a process that only computes: the attacker takes a core, too.
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import random
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory

import erstwhile
from erstwhile.servers.tokens import Right, TokenFile, store_name

FACTS, ENTRIES = 2_000, 12_000
SECONDS = 6.0
_WORDS = [f"word{number}" for number in range(3_000)]


@dataclass(frozen=True, slots=True)
class Target:
    """A running server, and a token for it."""

    port: int
    secret: str

    def ask(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> int:
        """Send a request and return the status of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        usual = {"Authorization": f"Bearer {self.secret}", "Content-Type": "application/json"}
        try:
            raw = body if body is None or isinstance(body, bytes) else json.dumps(body)
            connection.request(method, path, raw, {**usual, **(headers or {})})
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()


def heavy_recalls(target: Target) -> None:
    """Send 40 searches at once for long questions, again and again."""
    query = " ".join(random.choices(_WORDS, k=8_000))
    _at_once(40, lambda _: target.ask("POST", "/v1/recall", {"query": query, "limit": 1_000}))


def long_pages(target: Target) -> None:
    """List 1,000 records at once with 40 requests, again and again."""
    _at_once(40, lambda _: target.ask("GET", "/v1/facts?limit=1000&state=any&contains=o"))


def old_event_streams(target: Target) -> None:
    """Open 20 event streams that begin long ago, and open each again when it has begun."""
    headers = {"Authorization": f"Bearer {target.secret}", "Last-Event-ID": "2000-01-01T00:00:00Z"}

    def stream(_: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=60)
        connection.request("GET", "/v1/events", headers=headers)
        connection.getresponse().read(500_000)
        connection.close()

    _at_once(20, stream)


def slow_bodies(target: Target) -> None:
    """Begin 110 requests whose bodies do not come."""
    head = _head(target, "POST", "Content-Length: 1000") + b"{"

    def begin(_: int) -> None:
        with socket.create_connection(("127.0.0.1", target.port), 60) as opened:
            opened.sendall(head)
            opened.recv(1)

    _at_once(110, begin)


def same_key(target: Target) -> None:
    """Send the same change 60 times at once, with the same key and a long text."""

    def send(number: int) -> None:
        key = f"{int(time.monotonic())}"
        text = f"{key} " + "word " * 15_000
        target.ask("POST", "/v1/facts", {"text": text}, {"Idempotency-Key": key})
        del number

    _at_once(60, send)


def refused_turns(target: Target) -> None:
    """Send turns of 900 KB that an agent may not send, eight at once."""
    turn = {"user": "I say word " * 80_000, "assistant": "No."}
    _at_once(8, lambda _: target.ask("POST", "/v1/turns", turn))


def mcp_sessions(target: Target) -> None:
    """Open MCP sessions without an end."""
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
             "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                        "clientInfo": {"name": "attacker", "version": "1"}}}  # fmt: skip
    accept = {"Accept": "application/json, text/event-stream"}
    _at_once(10, lambda _: target.ask("POST", "/mcp", begin, accept))


def listeners(target: Target) -> None:
    """Listen to 100 MCP resources with 20 streams, and begin again when they were read."""
    version, method = "2026-07-28", "subscriptions/listen"
    meta = {"io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "attacker", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}}  # fmt: skip
    uris = [*(f"memory://facts/{number}" for number in range(99)), "memory://facts"]
    params = {"notifications": {"resourceSubscriptions": uris}, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    headers = {"Authorization": f"Bearer {target.secret}", "Content-Type": "application/json",
               "Accept": "application/json, text/event-stream", "MCP-Method": method,
               "MCP-Protocol-Version": version}  # fmt: skip

    def listen(_: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=60)
        connection.request("POST", "/mcp", body, headers)
        connection.getresponse().read1(100)
        connection.close()

    _at_once(20, listen)


def erasures(target: Target) -> None:
    """Erase blocks, ten at once: each erasure rewrites the file."""

    def erase(_: int) -> None:
        name = f"block-{time.time_ns()}"
        target.ask("POST", "/v1/blocks", {"name": name, "content": "x"})
        target.ask("POST", "/v1/blocks/erase", {"names": [name]})

    _at_once(10, erase)


def tiny_chunks(target: Target) -> None:
    """Send bodies of 500,000 chunks of one byte each, eight at once."""
    head = _head(target, "POST", "Transfer-Encoding: chunked")
    body = b"1\r\n \r\n" * 500_000

    def send(_: int) -> None:
        with socket.create_connection(("127.0.0.1", target.port), 60) as opened:
            opened.sendall(head + body)
            opened.recv(1)

    _at_once(8, send)


def many_values(target: Target) -> None:
    """Send bodies with more than a million lists, ten at once."""
    lists = ",".join(["[]"] * 1_300_000)
    body = f'{{"text": "x", "metadata": {{"a": [{lists}]}}}}'.encode()
    _at_once(10, lambda _: target.ask("POST", "/v1/facts", body))


def many_headers(target: Target) -> None:
    """Send heads with 7,000 headers, 20 at once."""
    head = _head(target, "GET", *(f"a{number}: b" for number in range(7_000)))

    def send(_: int) -> None:
        with socket.create_connection(("127.0.0.1", target.port), 60) as opened:
            opened.sendall(head)
            opened.recv(1)

    _at_once(20, send)


def idle_connections(target: Target) -> None:
    """Keep 900 connections open that send nothing; open each again when it is closed."""

    def keep(_: int) -> None:
        several = [socket.create_connection(("127.0.0.1", target.port), 60) for _ in range(90)]
        several[-1].recv(1)
        for each in several:
            each.close()

    _at_once(10, keep)


def bulk_writes(target: Target) -> None:
    """Store 500 facts with each request, four at once."""

    def store(number: int) -> None:
        items = [f"Number {number} {each} {time.time_ns()}" for each in range(500)]
        target.ask("POST", "/v1/facts/many", {"items": items})

    _at_once(4, store)


def _head(target: Target, method: str, *headers: str) -> bytes:
    """Return the head of a request about facts."""
    usual = (f"Host: 127.0.0.1:{target.port}", f"Authorization: Bearer {target.secret}",
             "Content-Type: application/json")  # fmt: skip
    lines = (f"{method} /v1/facts HTTP/1.1", *usual, *headers, "", "")
    return "\r\n".join(lines).encode()


def wrong_tokens(target: Target) -> None:
    """Send 20 requests at once with a token that nobody has."""
    stranger = Target(target.port, "erstwhile_" + "x" * 20)
    _at_once(20, lambda _: stranger.ask("GET", "/v1/facts"))


ATTACKS: dict[str, Callable[[Target], None]] = {
    "40 long searches": heavy_recalls,
    "40 long pages": long_pages,
    "20 event streams from long ago": old_event_streams,
    "110 slow bodies": slow_bodies,
    "60 times the same Idempotency-Key": same_key,
    "refused turns of 900 KB": refused_turns,
    "MCP sessions": mcp_sessions,
    "100 MCP resources for each of 20 listeners": listeners,
    "wrong tokens": wrong_tokens,
    "8 bodies in tiny chunks": tiny_chunks,
    "10 bodies of a million lists": many_values,
    "20 heads of 7,000 headers": many_headers,
    "900 idle connections": idle_connections,
    "bulk writes of 500 facts": bulk_writes,
}
REWRITES: dict[str, Callable[[Target], None]] = {"erasures by an administrator": erasures}
"""Attacks that may take longer: nobody writes while the file is rewritten."""


def _at_once(threads: int, act: Callable[[int], object]) -> None:
    """Repeat something on some threads until this process ends."""

    def repeat(number: int) -> None:
        while True:
            with suppress(OSError, http.client.HTTPException):
                act(number)

    several = [
        threading.Thread(target=repeat, args=(each,), daemon=True) for each in range(threads)
    ]
    for each in several:
        each.start()
    several[0].join()


def compute(_target: Target) -> None:
    """Compute, as an attacker does, and send nothing."""
    while True:
        sum(range(10_000))


@dataclass(frozen=True, slots=True)
class Times:
    """How long the requests of the victim took, in milliseconds, and how many were refused."""

    taken: list[float]
    refused: int

    def at(self, share: float) -> float:
        """Return the time that a share of the requests stayed below."""
        ordered = sorted(self.taken)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def measure(target: Target, seconds: float) -> Times:
    """Store and list facts one after the other."""
    taken, refused, until = list[float](), 0, time.monotonic() + seconds
    number = 0
    while time.monotonic() < until or len(taken) < 20:
        number += 1
        begun = time.perf_counter()
        if number % 2:
            status = target.ask("GET", "/v1/facts?limit=5")
        else:
            status = target.ask("POST", "/v1/facts", {"text": f"Bob likes tea {time.time_ns()}"})
        taken.append((time.perf_counter() - begun) * 1_000)
        refused += status != 200
        time.sleep(0.02)  # below the rate of a token
    return Times(taken, refused)


@contextmanager
def attacked(attack: Callable[[Target], None], target: Target) -> Iterator[BaseProcess]:
    """Run an attack in another process meanwhile."""
    process = multiprocessing.get_context("spawn").Process(
        target=attack, args=(target,), daemon=True
    )
    process.start()
    try:
        time.sleep(1.5)  # it has begun
        yield process
    finally:
        process.kill()
        process.join()


@contextmanager
def served(
    folder: Path, facts: int = FACTS, entries: int = ENTRIES
) -> Iterator[tuple[Target, Target]]:
    """Serve a filled memory; return it for the attacker and for the victim."""
    file, tokens = folder / "a.db", TokenFile(folder / "tokens")
    with erstwhile.open(file, embedder="none") as memory:
        eve = memory.scoped(user="eve")
        for begin in range(0, facts, 500):
            eve.remember_many(
                " ".join(random.choices(_WORDS, k=40)) for _ in range(begin, begin + 500)
            )
        eve.remember_many(f"Entry {number}" for number in range(max(0, entries - facts)))
    store = store_name(str(file))
    eve_token = tokens.make("eve", erstwhile.Scope(user="eve"), store=store, right=Right.ADMIN)
    bob_token = tokens.make("bob", erstwhile.Scope(user="bob"), store=store)
    line = [sys.executable, "-m", "erstwhile", "--db", str(file), "--embedder", "none", "serve",
            "--port", "0", "--tokens", str(tokens.file)]  # fmt: skip
    process = subprocess.Popen(line, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    try:
        port = int(re.findall(r":(\d+)$", process.stderr.readline().strip())[0])
        drain = threading.Thread(target=process.stderr.read, daemon=True)
        drain.start()
        victim = Target(port, bob_token.secret)
        _wait_until_ready(victim)
        yield Target(port, eve_token.secret), victim
    finally:
        process.terminate()
        process.wait(60)
        drain.join(60)
        process.stderr.close()


def _wait_until_ready(target: Target) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with suppress(OSError):
            if target.ask("GET", "/readyz") == 200:
                return
        time.sleep(0.05)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The times of the others without and under an attack."""

    before: Times
    under: Times

    @property
    def ratio(self) -> float:
        """How many times the baseline the slowest hundredth of the requests took."""
        return self.under.at(0.99) / self.before.at(0.99)


def measure_beside(
    attack: Callable[[Target], None], attacker: Target, victim: Target, seconds: float = SECONDS
) -> Times:
    """Measure the victim beside an attacker, or beside a process that computes: the baseline."""
    with attacked(attack, attacker):
        return measure(victim, seconds)


def rows() -> Iterator[str]:
    """Yield a row for each attack: how many times as long the others wait under it."""
    with TemporaryDirectory() as folder, served(Path(folder)) as (eve, bob):
        measure(bob, 1)
        for name, attack in (ATTACKS | REWRITES).items():
            time.sleep(3)  # the server is idle again
            found = Comparison(measure_beside(compute, eve, bob), measure_beside(attack, eve, bob))
            yield (
                f"| others' p99 under attack: {name} | {found.ratio:.1f} times the baseline, "
                f"{found.under.refused} of {len(found.under.taken)} refused |"
            )


def main() -> None:
    for row in rows():
        print(row, flush=True)


if __name__ == "__main__":
    main()
