"""Compare a distributed memory with plain PostgreSQL, in one run, call by call in turn.

CITUS_FOR_TESTS=/usr/lib/postgresql/15/bin python -m bench.citus            print the figures
CITUS_FOR_TESTS=… python -m bench.citus --page docs/scale-out.md            write them into a page

The script starts a coordinator and two workers on this machine. The plain database lies on the
coordinator, with the same settings. `scripts/citus` builds a PostgreSQL with Citus.
"""

from __future__ import annotations

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy is loaded

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import count, product
from pathlib import Path
from statistics import median

import click
import psycopg
from tests.engines.postgres.cluster import OWNER, Cluster, running_cluster
from tests.engines.postgres.server import end_on_termination

import erstwhile
from bench.report import Result, replaced, show
from erstwhile import Memory, Settings
from erstwhile.operations import store

SIZES = {1_000: 3}
"""The number of spaces, and of facts in each."""
OPENED = 6
"""The spaces that are asked."""
CALLS = 60
FILLING = 8
"""The spaces that are filled at once, before anything is measured."""
_PLACES = """SELECT n.nodeport::text FROM pg_dist_placement AS p
  JOIN pg_dist_node AS n ON n.groupid = p.groupid
  WHERE shardid = get_shard_id_for_distribution_column('erstwhile.facts', %s::text)"""
_NUMBERS = count()


def compared(plain: str, spread: str, spaces: int, facts: int) -> Result:
    names = [f"{spaces} spaces, number {number}" for number in range(spaces)]
    with ThreadPoolExecutor(FILLING) as pool:
        list(
            pool.map(
                lambda place: _fill(place[0], place[1], facts), product((plain, spread), names)
            )
        )
    rows = [
        *_timed("by meaning", plain, spread, names[:OPENED], "default"),
        *_timed("by words", plain, spread, names[:OPENED], "none"),
    ]
    lie = " and ".join(str(number) for number in _spread(spread, names))
    title = f"{spaces:,} spaces of {facts} facts, {lie} on the two workers"
    return Result(title, "milliseconds by the clock, medians, the two in turn", rows)


def _timed(
    way: str, plain: str, spread: str, names: Sequence[str], embedder: str
) -> list[dict[str, str | float]]:
    calls: dict[str, Callable[[Memory], object]] = {
        f"recall {way}": lambda memory: memory.recall("which friend drinks green tea?"),
        f"remember, {way}": lambda memory: memory.remember(f"a new fact, number {next(_NUMBERS)}"),
    }
    taken: dict[str, list[list[float]]] = defaultdict(lambda: [[], []])
    with ExitStack() as stack:
        pairs = [
            [stack.enter_context(_opened(url, name, embedder)) for url in (plain, spread)]
            for name in names
        ]
        for memory in (each for pair in pairs for each in pair):
            memory.flush(None)
        for turn in range(-len(pairs) * 2, CALLS):  # the first ones prepare the statements
            for title, call in calls.items():
                for side, memory in enumerate(pairs[turn % len(pairs)]):
                    begun = time.perf_counter()
                    call(memory)
                    if turn >= 0:
                        taken[title][side].append((time.perf_counter() - begun) * 1000)
    return [
        {"call": title, "plain": median(here), "citus": median(there),
         "times": median(there) / median(here)}
        for title, (here, there) in taken.items()
    ]  # fmt: skip


def _opened(url: str, space: str, embedder: str) -> Memory:
    settings = Settings(space=space, connections=2)
    chosen = (
        settings if embedder == "default" else Settings(space=space, connections=2, embedder="none")
    )
    return erstwhile.open(url, settings=chosen)


def _fill(url: str, name: str, facts: int) -> None:
    with _opened(url, name, "none") as memory:
        memory.remember_many(_facts(name, facts))


def _facts(name: str, number: int) -> list[str]:
    return [
        f"friend {each} in {name} drinks green tea and lives in street {each}"
        for each in range(number)
    ]


def _spread(url: str, names: Sequence[str]) -> list[int]:
    with psycopg.connect(url) as connection:
        asked = (connection.execute(_PLACES, [name]).fetchall() for name in names)
        places = Counter(port for [(port,)] in asked)
    return sorted(places.values(), reverse=True)


def _plain_database(cluster: Cluster) -> str:
    node = cluster.coordinator
    node.execute("postgres", "CREATE DATABASE plain")
    node.execute("plain", "CREATE EXTENSION vector", f"GRANT CREATE ON DATABASE plain TO {OWNER}")
    return node.url("plain", OWNER)


def versions(url: str) -> str:
    with psycopg.connect(url) as connection:
        [(server, citus, vector)] = connection.execute(
            "SELECT current_setting('server_version'),"
            " (SELECT extversion FROM pg_extension WHERE extname = 'citus'),"
            " (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
        ).fetchall()
    day = datetime.now(UTC).date().isoformat()
    return f"PostgreSQL {server.split()[0]}, Citus {citus}, pgvector {vector}, {day}"


def _table(about: str, result: Result) -> str:
    rows = "\n".join(
        f"| {row['call']} | {row['plain']:.1f} | {row['citus']:.1f} | {row['times']:.1f} |"
        for row in result.rows
    )
    head = "| call | plain ms | Citus ms | times |\n|---|---|---|---|"
    return f"{result.title} ({about}):\n\n{head}\n{rows}"


@click.command()
@click.option("--json", "as_json", is_flag=True)
@click.option("--spaces", multiple=True, type=int, default=tuple(SIZES))
@click.option("--page", type=click.Path(path_type=Path))
def main(as_json: bool, spaces: Sequence[int], page: Path | None) -> None:
    end_on_termination()
    with running_cluster() as cluster:
        spread, plain = cluster.database("spread"), _plain_database(cluster)
        store.distribute(spread)
        for number in spaces:
            result = compared(plain, spread, number, SIZES[number])
            show([result], as_json=as_json)
            if page is not None:
                replaced(page, f"bench.citus, {number}", _table(versions(spread), result))


if __name__ == "__main__":
    main()
