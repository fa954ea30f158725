"""Measure the cost of a memory as it grows, fit how it grows, and draw it.

python -m bench.scale                         up to 1,000,000 facts and messages: an hour or more
python -m bench.scale --quick                 up to 10,000, a minute
python -m bench.scale --only facts --most 100000 --folder /tmp/kept
python -m tests.engines.postgres.server python -m bench.scale --engine postgres --most 100000
python -m bench.scale --page                  only write docs/scale-out.md again, from the results

One memory grows from size to size, all in one scope. Measured are CPU time and time by the clock,
memory and disk. Vectors are random and cost little, so the store is measured, not the embedder.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import click
import psycopg

import erstwhile
from bench.scale.page import write_page
from bench.scale.point import USER, Clock, store, texts
from bench.speech import WordVectors
from erstwhile import Settings

CHECKOUT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results.json")
KINDS = ("facts", "messages")
STEPS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
QUICK = 10_000
_AT_ONCE = {"facts": 5_000, "messages": 20}
"""The texts of one transaction: messages come in conversations."""


def grown(place: str, kind: str, most: int) -> Iterator[dict[str, Any]]:
    """Fill a memory step by step, and yield its costs at each size."""
    space = f"bench {uuid4().hex}" if "://" in place else "main"
    held, empty = 0, _bytes(place)
    for size in STEPS:
        if size > most:
            return
        filling = _fill(place, space, kind, held, size)
        line = [sys.executable, "-m", "bench.scale.point", place, space, kind, str(size)]
        told = subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True, cwd=CHECKOUT)
        costs = json.loads(told.stdout)
        held = costs.pop("held")
        costs["bytes_each"] = (_bytes(place) - empty) / held
        costs |= _erase(place, space, kind)
        yield {"size": size, **filling, **costs, "load": os.getloadavg()[0]}


def _fill(place: str, space: str, kind: str, held: int, size: int) -> dict[str, float]:
    """Add texts up to a size, and return what each of them cost, with its vector."""
    settings = Settings(synchronous="NORMAL", space=space)
    clock = Clock(place)
    with erstwhile.open(place, embedder=WordVectors(), settings=settings) as memory:
        mine = memory.scoped(user=USER)

        def fill() -> None:
            for start in range(held, size, 5_000):
                some = texts(kind, min(5_000, size - start), start)
                for at in range(0, len(some), _AT_ONCE[kind]):
                    store(mine, kind, some[at : at + _AT_ONCE[kind]])
                assert mine.flush(None).done

        cpu, wall = clock.cost(fill, max(size - held, 1))
    if "://" in place:
        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")
    return {"fill_cpu_ms": cpu, "fill_ms": wall}


def _erase(place: str, space: str, kind: str) -> dict[str, float]:
    """Return what it costs to erase one fact, or one conversation: it rewrites a file."""
    clock = Clock(place)
    with erstwhile.open(place, embedder="none", settings=Settings(space=space)) as memory:
        mine = memory.scoped(user=USER)
        if kind == "facts":
            fact = mine.remember("Ana lived in Porto.")
            cpu, wall = clock.cost(lambda: mine.facts.erase(fact.id))
        else:
            talk = mine.conversations.start()
            mine.conversations.add("user", "I live in Porto.", conversation=talk.id)
            cpu, wall = clock.cost(lambda: mine.conversations.erase(talk.id))
    return {"erase_cpu_ms": cpu, "erase_ms": wall}


def _bytes(place: str) -> int:
    if "://" not in place:
        file = Path(place)
        return sum(each.stat().st_size for each in file.parent.glob(f"{file.name}*"))
    with psycopg.connect(place) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    assert row is not None
    return int(row[0])


def _machine(postgres: str) -> dict[str, Any]:
    versions = {"Python": platform.python_version(), "Erstwhile": erstwhile.__version__}
    if postgres:
        with psycopg.connect(postgres) as connection:
            versions["PostgreSQL"] = str(connection.info.server_version // 10_000)
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
        "versions": versions,
    }


@click.command(help=__doc__)
@click.option("--quick", is_flag=True, help=f"Up to {QUICK:,}; write no results.")
@click.option("--only", "kinds", multiple=True, type=click.Choice(KINDS), default=KINDS)
@click.option("--engine", type=click.Choice(("sqlite", "postgres")), default="sqlite")
@click.option("--postgres", envvar="POSTGRES_FOR_TESTS", default="", help="postgresql://…")
@click.option("--most", default=STEPS[-1], show_default=True)
@click.option(
    "--folder", type=click.Path(path_type=Path), help="Make the files here, and keep them."
)
@click.option("--page", is_flag=True, help="Only write the page again, from the results.")
def main(
    *,
    quick: bool,
    kinds: tuple[str, ...],
    engine: str,
    postgres: str,
    most: int,
    folder: Path | None,
    page: bool,
) -> None:
    for kind in () if page else kinds:
        rows = []
        with TemporaryDirectory() as passing:
            place = str((folder or Path(passing)) / f"{kind}.db")
            place = postgres if engine == "postgres" else place
            for row in grown(place, kind, QUICK if quick else most):
                print(json.dumps(row), flush=True)
                rows.append(row)
                if not quick:
                    name = kind if engine == "sqlite" else f"{kind} on PostgreSQL"
                    _keep(name, {**_machine(postgres), "rows": rows})
    if not quick:
        write_page(json.loads(RESULTS.read_text("utf-8")), CHECKOUT / "docs")


def _keep(name: str, measured: dict[str, Any]) -> None:
    """Write the results after each size, so that an interrupted run is not lost."""
    known = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    RESULTS.write_text(json.dumps({**known, name: measured}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
