"""Measure how much longer writers wait while a backup is made.

python -m bench.backup                  a memory of 100,000 facts, some minutes
python -m bench.backup --facts 10000    a smaller one
python -m bench.backup --json           for programs; so is a pipe

Writers write at a steady pace. Meanwhile times with a backup and times without one take turns, so
that both meet the same load of the machine.
"""

from __future__ import annotations

import time
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import click
import numpy as np

import erstwhile
from bench.filling import remember
from bench.report import Result, show

WRITERS = 2
PAUSE = 0.02
"""The time between two writes of a writer, in seconds."""
ROUNDS = 6
_SETTINGS = erstwhile.Settings(embedder="none", busy_timeout=60)
_QUICK = erstwhile.Settings(embedder="none", synchronous="NORMAL")

Times = list[tuple[float, float]]
"""The begin and the end of each write, or of each backup."""


def write(path: str, user: str, start: Any, stop: Any, results: Any) -> None:
    """Remember facts at a steady pace until it is told to stop."""
    times: Times = []
    with erstwhile.open(path, settings=_SETTINGS) as memory:
        mine = memory.scoped(user=user)
        mine.remember("warming up")
        start.wait()
        while not stop.is_set():
            begin = time.monotonic()
            mine.remember(f"{user} saw number {len(times)} of {uuid4()}")
            times.append((begin, time.monotonic()))
            time.sleep(PAUSE)
    results.put(times)


def under_load(path: Path, folder: Path, rounds: int) -> tuple[Times, Times]:
    """Make backups while others write; return the times of the writes and of the backups."""
    fresh = get_context("spawn")
    start, stop, results = fresh.Barrier(WRITERS + 1), fresh.Event(), fresh.Queue()
    named = [(str(path), f"writer {n}", start, stop, results) for n in range(WRITERS)]
    writers = [fresh.Process(target=write, args=arguments) for arguments in named]
    for each in writers:
        each.start()
    start.wait()
    backups: Times = []
    for _ in range(rounds):
        begin = time.monotonic()
        erstwhile.backup(path, folder, keep=1, settings=_SETTINGS)
        backups.append((begin, time.monotonic()))
        time.sleep(backups[-1][1] - begin)  # as long without a backup
    stop.set()
    times = [one for _ in writers for one in results.get(timeout=120)]
    for each in writers:
        each.join()
    return times, backups


def measured(facts: int, rounds: int) -> Result:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        with erstwhile.open(path, settings=_QUICK) as memory:
            remember(memory, {"ana": [f"Ana noted {uuid4()} as {n}" for n in range(facts)]})
        size = path.stat().st_size / 2**20
        times, backups = under_load(path, Path(folder) / "backups", rounds)
    meanwhile = [end - begin for begin, end in times if _overlaps(begin, end, backups)]
    alone = [end - begin for begin, end in times if not _overlaps(begin, end, backups)]
    rows = [_row("without a backup", alone), _row("during a backup", meanwhile)]
    ratio = float(rows[1]["p99_ms"]) / float(rows[0]["p99_ms"])
    took = sum(end - begin for begin, end in backups) / len(backups)
    return Result(
        f"{WRITERS} writers, {facts:,} facts, {size:,.0f} MB, {took:.1f} s for a backup",
        f"p99 during a backup : p99 without = {ratio:.2f}",
        rows,
    )


def _overlaps(begin: float, end: float, others: Times) -> bool:
    return any(begin < other[1] and end > other[0] for other in others)


def _row(name: str, waits: list[float]) -> dict[str, str | float]:
    milliseconds = np.array(waits) * 1_000
    quantiles = {f"p{each}_ms": float(np.percentile(milliseconds, each)) for each in (50, 95, 99)}
    return {"writes": name, "number": len(waits), **quantiles, "longest_ms": milliseconds.max()}


@click.command()
@click.option("--facts", default=100_000, show_default=True, help="The size of the memory.")
@click.option("--rounds", default=ROUNDS, show_default=True, help="The number of backups.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(facts: int, rounds: int, as_json: bool) -> None:
    """Measure how much longer writers wait while a backup is made."""
    show([measured(facts, rounds)], as_json=as_json)


if __name__ == "__main__":
    main()
