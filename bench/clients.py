"""Measure how much faster several client processes write to PostgreSQL than one.

python -m bench.clients          some minutes
python -m bench.clients --json   for programs; so is a pipe

The script starts its own server, which forces commits to the disk (fsync).
"""

from __future__ import annotations

import time
from multiprocessing import get_context
from typing import Any
from uuid import uuid4

import click
from tests.engines.postgres.server import end_on_termination, running

import erstwhile
from bench.report import Result, show

CLIENTS = (1, 2, 4, 8, 16)
SECONDS = 4.0


def write(url: str, space: str, user: str, start: Any, counts: Any) -> None:
    """Remember facts for some seconds, after all clients are ready."""
    settings = erstwhile.Settings(space=space, embedder="none", connections=2)
    with erstwhile.open(url, settings=settings) as memory:
        mine, count = memory.scoped(user=user), 0
        for number in range(20):  # prepares the statements
            mine.remember(f"warming up {uuid4()} {number}")
        start.wait()
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            mine.remember(f"{user} saw number {count} of {uuid4()}")
            count += 1
        counts.put(count)


def rate(url: str, clients: int, *, one_scope: bool) -> float:
    """Return the facts per second of all clients together."""
    fresh = get_context("spawn")
    start, results, space = fresh.Barrier(clients), fresh.Queue(), uuid4().hex
    users = ["all" if one_scope else f"user {n}" for n in range(clients)]
    working = [
        fresh.Process(target=write, args=(url, space, user, start, results)) for user in users
    ]
    for each in working:
        each.start()
    counts = [results.get(timeout=120) for _ in working]
    for each in working:
        each.join()
    return float(sum(counts)) / SECONDS


def measured(url: str) -> Result:
    alone = rate(url, 1, one_scope=False)
    rows = []
    for clients in CLIENTS:
        apart = alone if clients == 1 else rate(url, clients, one_scope=False)
        together = alone if clients == 1 else rate(url, clients, one_scope=True)
        rows.append(
            {
                "clients": clients,
                "times_one_client": apart / alone,
                "facts_per_second": apart,
                "in_one_scope_times": together / alone,
            }
        )
    meaning = "each client in a scope of its own; in the last column all in the same scope"
    return Result("clients that write at once", meaning, rows)


@click.command()
@click.option("--json", "as_json", is_flag=True)
def main(as_json: bool) -> None:
    end_on_termination()
    with running({"fsync": "on"}) as server:
        show([measured(server.url)], as_json=as_json)


if __name__ == "__main__":
    main()
