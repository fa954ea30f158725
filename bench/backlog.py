"""Measure recall while a backlog of long facts is embedded in the background.

python -m bench.backlog            2,000 facts of 200 words wait
python -m bench.backlog --quick    300 of them
python -m bench.backlog --json     for programs; so is a pipe
"""

from __future__ import annotations

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy is loaded

import time
from collections.abc import Sequence
from statistics import median

import click

import erstwhile
from bench.report import Result, show
from bench.speech import Speech
from erstwhile import Memory

USER = "ana"
KNOWN = 1_000
QUESTIONS = 60


def measured(waiting: int) -> Result:
    """Ask new questions while facts wait for their vectors, and again when none waits."""
    known, long = Speech().facts(KNOWN), Speech(9).messages(waiting)
    with erstwhile.open(":memory:", embedder="universal") as memory:
        mine = memory.scoped(user=USER)
        mine.remember_many(known)
        mine.flush(None)
        idle = _asked(mine, known, seed=6)
        mine.remember_many(long)
        busy = _asked(mine, known, seed=5)
        left = mine.flush(0).texts
        mine.flush(None)
        after = _asked(mine, known, seed=7)
    return Result(
        "Recall beside a backlog",
        f"{waiting:,} facts of 200 words wait, {left:,} of them still after the last question; "
        "times of new questions by the clock and of the caller's CPU, ratios to the row `after`",
        [
            {
                "when": name,
                "wall_ratio": median(wall) / median(after[0]),
                "cpu_ratio": median(cpu) / median(after[1]),
                **_row(wall, cpu),
            }
            for name, (wall, cpu) in (("before", idle), ("meanwhile", busy), ("after", after))
        ],
    )


def _asked(memory: Memory, facts: Sequence[str], seed: int) -> tuple[list[float], list[float]]:
    """Return milliseconds by the clock and of CPU; no question was asked before."""
    speech = Speech(seed)
    wall, cpu = [], []
    for fact in facts[:: len(facts) // QUESTIONS]:
        question = speech.question(fact)
        clock, spent = time.perf_counter(), time.thread_time()
        memory.recall(question)
        wall.append((time.perf_counter() - clock) * 1e3)
        cpu.append((time.thread_time() - spent) * 1e3)
    return wall, cpu


def _row(wall: Sequence[float], cpu: Sequence[float]) -> dict[str, float]:
    return {
        "wall_ms": median(wall),
        "wall_p90_ms": sorted(wall)[len(wall) * 9 // 10],
        "wall_most_ms": max(wall),
        "cpu_ms": median(cpu),
    }


@click.command(help=__doc__)
@click.option("--quick", is_flag=True, help="300 facts wait.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")
def main(quick: bool, as_json: bool) -> None:
    show([measured(300 if quick else 2_000)], as_json=as_json)


if __name__ == "__main__":
    main()
