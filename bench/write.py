"""Measure the speed of writing: against plain apsw, with growing memories, and its syncs.

python -m bench.write           all of it, a few minutes
python -m bench.write --quick   a small run, a few seconds
python -m bench.write --json    for programs; so is a pipe
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import click

from bench.bare import Statement, record, replaying
from bench.corpus import facts, filled, open_memory
from bench.cost import Cost, cost, typical
from bench.report import Result, show
from bench.syncs import CHECKPOINT, COMMIT, WRITTEN, counted
from erstwhile import Memory

Facts: TypeAlias = list[dict[str, Any]]
_NEW = 10_000_000
"""The first seed of facts that no filled memory has."""


@dataclass(frozen=True, slots=True)
class Size:
    facts: int
    rounds: int
    memories: tuple[int, ...]
    turns: int
    remembers: int


FULL_SIZE = Size(facts=500, rounds=21, memories=(1_000, 10_000, 100_000), turns=9, remembers=800)
QUICK_SIZE = Size(facts=100, rounds=5, memories=(1_000, 3_000), turns=3, remembers=160)
SINGLES, BATCH = 50, 500
"""The facts written in one turn: one by one, and at once."""


def one_by_one(memory: Memory, items: Facts) -> None:
    for item in items:
        memory.remember(**item)


def all_at_once(memory: Memory, items: Facts) -> None:
    memory.remember_many(items)


WAYS: dict[str, tuple[Callable[[Memory, Facts], None], str]] = {
    "remember, NORMAL": (one_by_one, "NORMAL"),
    "remember, FULL": (one_by_one, "FULL"),
    "remember_many": (all_at_once, "FULL"),
}


def beside_bare(folder: Path, size: Size) -> Result:
    """Compare both in turns, so that other work affects both."""
    return Result(
        "Beside the same statements through plain apsw",
        "speed of Erstwhile : speed of bare, medians of all rounds; times are for one fact",
        [_compared(folder, name, size) for name in WAYS],
    )


def _compared(folder: Path, name: str, size: Size) -> dict[str, str | float]:
    write, synchronous = WAYS[name]
    items = facts(size.facts)
    statements = record(folder / f"{name}, recorded", lambda memory: write(memory, items))
    ours, bare = [], []
    for number in range(size.rounds):
        file = folder / f"{name}, {number}"
        with open_memory(file, synchronous=synchronous) as memory:
            ours.append(cost(lambda memory=memory: write(memory, items)))  # type: ignore[misc]
        bare.append(_bare(file.with_suffix(".bare"), synchronous, statements))
    return _ratios(name, typical(ours).each(size.facts), typical(bare).each(size.facts)) | {
        "statements": len(statements) / size.facts
    }


def _bare(file: Path, synchronous: str, statements: list[Statement]) -> Cost:
    with replaying(file, synchronous) as replay:
        return cost(lambda: replay(statements))


def _ratios(name: str, ours: Cost, bare: Cost) -> dict[str, str | float]:
    return {
        "case": name,
        "wall": bare.wall / ours.wall,
        "cpu": bare.cpu / ours.cpu,
        "wall_us": round(ours.wall * 1e6),
        "bare_wall_us": round(bare.wall * 1e6),
        "cpu_us": round(ours.cpu * 1e6),
        "bare_cpu_us": round(bare.cpu * 1e6),
    }


def growth(folder: Path, size: Size) -> Result:
    """Fill the memories, then write to them in turns."""
    memories = {rows: filled(folder / f"{rows} facts", rows) for rows in size.memories}
    spent: dict[int, list[tuple[Cost, Cost]]] = {rows: [] for rows in memories}
    for number in range(size.turns):
        for rows, memory in memories.items():
            spent[rows].append(_window(memory, number))
    for memory in memories.values():
        memory.close()
    return Result(
        "As the memory grows",
        "CPU time of one write : the same in the smallest memory; facts at the beginning",
        _growths({rows: _typical(costs) for rows, costs in spent.items()}),
    )


def _window(memory: Memory, number: int) -> tuple[Cost, Cost]:
    singles, batch = facts(SINGLES, seed=_NEW + number), facts(BATCH, seed=-_NEW - number)
    return (
        cost(lambda: one_by_one(memory, singles)).each(SINGLES),
        cost(lambda: all_at_once(memory, batch)).each(BATCH),
    )


def _typical(costs: list[tuple[Cost, Cost]]) -> tuple[float, float]:
    one, many = (typical(of_one_way).cpu for of_one_way in zip(*costs, strict=True))
    return one, many


def _growths(cpu: dict[int, tuple[float, float]]) -> list[dict[str, str | float]]:
    smallest = next(iter(cpu.values()))
    return [
        {
            "facts": rows,
            "remember": one / smallest[0],
            "remember_many": many / smallest[1],
            "remember_us": round(one * 1e6),
            "remember_many_us": round(many * 1e6),
        }
        for rows, (one, many) in cpu.items()
    ]


def syncs(folder: Path, size: Size) -> Result:
    return Result(
        "Forced to the disk (fsync) and written, with FULL",
        "syncs of commits and bytes for one remember, in a new memory; a checkpoint has three "
        "syncs of its own",
        [_synced(folder, threads, size.remembers) for threads in (1, 8)],
    )


def _synced(folder: Path, threads: int, remembers: int) -> dict[str, str | float]:
    shares = [facts(remembers // threads, seed=_NEW + thread) for thread in range(threads)]
    with (
        counted() as tally,
        open_memory(folder / f"{threads} threads", synchronous="FULL") as memory,
        ThreadPoolExecutor(threads) as pool,
    ):
        tally.clear()
        list(pool.map(lambda share: one_by_one(memory, share), shares))
        return {
            "threads": threads,
            "per_remember": tally[COMMIT] / remembers,
            "bytes_per_remember": round(tally[WRITTEN] / remembers),
            "remembers": remembers,
            "commits": tally[COMMIT],
            "of_checkpoints": tally[CHECKPOINT],
        }


@click.command(help=__doc__)
@click.option("--quick", is_flag=True, help="Fewer facts and rounds.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")
def main(quick: bool, as_json: bool) -> None:
    size = QUICK_SIZE if quick else FULL_SIZE
    with TemporaryDirectory() as name:
        folder = Path(name)
        show([measure(folder, size) for measure in (beside_bare, growth, syncs)], as_json=as_json)


if __name__ == "__main__":
    main()
