"""Measure `erstwhile serve` under the load of 50 clients, beside the library in this process.

python -m bench.serve                  a file and a PostgreSQL server, about a minute
python -m bench.serve --workers 2      with several processes
python -m bench.serve --json           for programs; so is a pipe

Each client is one user with a token and a connection. It stores, searches, lists and asks for
contexts in turns. The script starts its own PostgreSQL server, which forces commits to the disk.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from threading import Barrier, Thread
from typing import Any
from uuid import uuid4

import click
from tests.engines.postgres.server import end_on_termination, running

import erstwhile
from bench.report import Result, show
from erstwhile import Memory
from erstwhile.core.scope import Scope
from erstwhile.servers.tokens import TokenFile

CLIENTS = 50
SECONDS = 10.0
MIX = (
    "remember", "recall", "list", "recall", "context",
    "recall", "remember", "recall", "list", "recall",
)  # fmt: skip
SUBJECTS = ("tea", "coffee", "gardens", "trains", "music", "Porto", "chess", "bread")


@dataclass
class Tally:
    """The seconds of each request, and how many failed."""

    seconds: list[float] = field(default_factory=list)
    errors: int = 0


Ask = Callable[[str, int], None]
"""Runs one operation of a client; it raises if it fails."""


def in_process(memory: Memory) -> Ask:
    """Return the operations of a client that calls the library."""

    def ask(verb: str, number: int) -> None:
        subject = SUBJECTS[number % len(SUBJECTS)]
        match verb:
            case "remember":
                memory.remember(f"I like {subject} of kind {uuid4()}")
            case "recall":
                memory.recall(f"what about {subject}?")
            case "list":
                memory.facts.list(limit=20)
            case _:
                memory.context(f"tell me about {subject}", 500)

    return ask


def over_http(port: int, secret: str) -> Ask:
    """Return the operations of a client with one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}

    def ask(verb: str, number: int) -> None:
        subject = SUBJECTS[number % len(SUBJECTS)]
        calls: dict[str, tuple[str, str, Any]] = {
            "remember": ("POST", "/v1/facts", {"text": f"I like {subject} of kind {uuid4()}"}),
            "recall": ("POST", "/v1/recall", {"query": f"what about {subject}?"}),
            "list": ("GET", "/v1/facts?limit=20", None),
            "context": ("POST", "/v1/context", {"query": f"about {subject}", "tokens": 500}),
        }
        method, path, body = calls[verb]
        connection.request(method, path, json.dumps(body) if body else None, headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise RuntimeError(f"status {answer.status}")

    return ask


def load(asks: list[Ask]) -> dict[str, Any]:
    """Let all clients work at the same time, and return what they measured."""
    start, tallies = Barrier(len(asks)), [Tally() for _ in asks]

    def work(ask: Ask, tally: Tally, first: int) -> None:
        ask("remember", first)
        start.wait()
        end, number = time.perf_counter() + SECONDS, first
        while (begun := time.perf_counter()) < end:
            try:
                ask(MIX[number % len(MIX)], number)
            except Exception:  # counted: the result must have none
                tally.errors += 1
            tally.seconds.append(time.perf_counter() - begun)
            number += 1

    threads = [
        Thread(target=work, args=(ask, tally, number))
        for number, (ask, tally) in enumerate(zip(asks, tallies, strict=True))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    taken = [each for tally in tallies for each in tally.seconds]
    cuts = quantiles(taken, n=100)
    return {
        "requests": len(taken),
        "requests_per_second": len(taken) / SECONDS,
        "p50_ms": cuts[49] * 1_000,
        "p99_ms": cuts[98] * 1_000,
        "errors": sum(tally.errors for tally in tallies),
    }


@contextmanager
def server(db: str, folder: Path, workers: int) -> Iterator[int]:
    """Run `erstwhile serve` in a process of its own, and give its port."""
    line = [sys.executable, "-m", "erstwhile", "--db", db, "--embedder", "none", "serve"]
    line += ["--port", "0", "--rate", "0", "--workers", str(workers)]
    environment = {**os.environ, "ERSTWHILE_SPACE": "main"}
    process = subprocess.Popen(
        [*line, "--tokens", str(folder / "tokens")],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stderr
    port = int(re.findall(r":(\d+)$", process.stderr.readline().strip())[0])
    try:
        yield port
    finally:
        process.terminate()
        assert process.wait(60) == 0
        process.stderr.close()


def measured(place: str, db: str, folder: Path, workers: int) -> list[dict[str, Any]]:
    """Measure the library, then the server, on a new store each."""
    with erstwhile.open(db, embedder="none") as memory:
        asks = [in_process(memory.scoped(user=f"in{number}")) for number in range(CLIENTS)]
        begun = time.process_time()
        library = load(asks)
        spent = time.process_time() - begun
    library["cpu_ms_per_request"] = spent / library["requests"] * 1_000
    tokens = TokenFile(folder / "tokens")
    secrets = [tokens.make(f"c{n}", Scope(user=f"c{n}")).secret for n in range(CLIENTS)]
    before = _cpu_of_ended()
    with server(db, folder, workers) as port:
        served = load([over_http(port, secret) for secret in secrets])
    spent = _cpu_of_ended() - before
    served["cpu_ms_per_request"] = spent / served["requests"] * 1_000
    return [
        {"store": place, "by": "library", **library},
        {"store": place, "by": "server", **served},
    ]


def _cpu_of_ended() -> float:
    """Return the CPU seconds of the processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@click.command()
@click.option("--workers", default=1, help="The number of processes of the server.")
@click.option("--json", "as_json", is_flag=True)
def main(workers: int, as_json: bool) -> None:
    end_on_termination()
    rows = []
    with TemporaryDirectory() as named:
        folder = Path(named)
        (folder / "file").mkdir()
        (folder / "postgres").mkdir()
        rows += measured("file", str(folder / "a.db"), folder / "file", workers)
        with running({"fsync": "on"}) as postgres:
            rows += measured("PostgreSQL", postgres.url, folder / "postgres", workers)
    meaning = f"half recall, a fifth each remember and list, a tenth context; workers: {workers}"
    show([Result(f"{CLIENTS} clients at once", meaning, rows)], as_json=as_json)


if __name__ == "__main__":
    main()
