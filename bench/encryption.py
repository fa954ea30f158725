"""Measure an encrypted file beside a plain one: opening, storing, search. It needs apsw-sqlite3mc.

python -m bench.encryption              20,000 facts
python -m bench.encryption --facts 2000
python -m bench.encryption --json       for programs; so is a pipe
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import click

import erstwhile
from bench.report import Result, show
from bench.speech import Speech
from erstwhile import Memory, Settings

QUESTIONS = 200
OPENINGS = 10
VARIABLE = "BENCH_ENCRYPTION_KEY"


def measured(facts: int) -> Result:
    """Take turns: each operation on the plain file, then on the encrypted one."""
    os.environ[VARIABLE] = "a key for the benchmark"
    speech = Speech()
    known = speech.facts(facts)
    asked = [speech.question(fact) for fact in known[:: max(1, facts // QUESTIONS)]]
    with tempfile.TemporaryDirectory() as folder:
        plain = Settings(db=f"{folder}/plain.db", embedder="none")
        secret = Settings(db=f"{folder}/secret.db", embedder="none", key=f"env:{VARIABLE}")
        both = {"plain": plain, "encrypted": secret}
        for used in both.values():
            with erstwhile.open(settings=used) as memory:
                memory.scoped(user="ana").remember_many(known)
        opening = _compared(both, OPENINGS, lambda used, _: erstwhile.open(settings=used).close())
        memories = {name: erstwhile.open(settings=used) for name, used in both.items()}
        mine = {name: memory.scoped(user="ana") for name, memory in memories.items()}
        recall = _compared(mine, len(asked), lambda memory, at: memory.recall(asked[at]))
        storing = _compared(mine, 100, lambda memory, at: memory.remember(f"number {at} is new"))
        for memory in memories.values():
            memory.close()
        sizes = {name: Path(used.db).stat().st_size / 2**20 for name, used in both.items()}
    rows = {"open": opening, "recall": recall, "remember": storing}
    return Result(
        "Encryption at rest",
        f"{facts:,} facts, words alone; medians of CPU milliseconds; "
        f"files of {sizes['plain']:.1f} and {sizes['encrypted']:.1f} MiB",
        [
            {"operation": name, **times, "ratio": times["encrypted"] / times["plain"]}
            for name, times in rows.items()
        ],
    )


def _compared(
    each: dict[str, Settings] | dict[str, Memory], count: int, work: Callable[..., object]
) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in each}
    for number in range(count):
        for name, subject in each.items():
            begun = time.process_time()
            work(subject, number)
            times[name].append((time.process_time() - begun) * 1e3)
    return {name: median(found) for name, found in times.items()}


@click.command(help=__doc__)
@click.option("--facts", default=20_000, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")
def main(facts: int, as_json: bool) -> None:
    show([measured(facts)], as_json=as_json)


if __name__ == "__main__":
    main()
