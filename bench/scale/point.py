"""Measure a memory of one size, in a process of its own. `bench.scale` starts it.

python -m bench.scale.point PLACE SPACE KIND SIZE    print the costs as JSON

CPU time is that of all threads and, on PostgreSQL, of the server's processes.
"""

from __future__ import annotations

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy is loaded

import json
import sys
import time
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import TypeAlias

import psycopg

import erstwhile
from bench.opening import resident
from bench.speech import Speech, WordVectors
from erstwhile import Memory, Settings
from erstwhile.adapters.embedders.base import CachedEmbedder
from erstwhile.operations.store import doctor

USER = "ana"
QUESTIONS, CONTEXTS, ADDED, ROUNDS = 20, 5, 20, 3
BULK = 500
MESSAGE_WORDS = 40
Costs: TypeAlias = dict[str, float]
_TICKS = os.sysconf("SC_CLK_TCK")


def texts(kind: str, count: int, seed: int) -> list[str]:
    speech = Speech(seed)
    return speech.facts(count) if kind == "facts" else speech.messages(count, MESSAGE_WORDS)


def store(memory: Memory, kind: str, added: Sequence[str]) -> None:
    """Add texts in one transaction."""
    if kind == "facts":
        memory.remember_many(added)
    else:
        roles = cycle(("user", "assistant"))
        lines = [{"role": role, "content": text} for role, text in zip(roles, added, strict=False)]
        memory.conversations.add_many(lines, conversation=memory.conversations.start().id)


class Clock:
    """CPU time of this process and of a server's processes."""

    def __init__(self, place: str) -> None:
        self._server = 0
        if "://" in place:
            with psycopg.connect(place) as connection:
                row = connection.execute("SELECT current_setting('data_directory')").fetchone()
            assert row is not None
            self._server = int(Path(row[0], "postmaster.pid").read_text("utf-8").split()[0])

    def cpu(self) -> float:
        return time.process_time() + (self._of_server() if self._server else 0.0)

    def _of_server(self) -> float:
        """Return the time of the server, of its processes and of those that ended."""
        ticks = 0
        for process in Path("/proc").glob("[0-9]*"):
            try:
                fields = (process / "stat").read_text("utf-8").rpartition(")")[2].split()
            except OSError:  # it ended meanwhile
                continue
            if int(process.name) == self._server:
                ticks += sum(map(int, fields[11:15]))
            elif int(fields[1]) == self._server:
                ticks += sum(map(int, fields[11:13]))
        return ticks / _TICKS

    def cost(self, work: Callable[[], object], count: int = 1) -> tuple[float, float]:
        """Return milliseconds of CPU and by the clock, for each of `count` things."""
        cpu, wall = self.cpu(), time.perf_counter()
        work()
        wall = time.perf_counter() - wall
        return (self.cpu() - cpu) * 1e3 / count, wall * 1e3 / count


def measure(place: str, space: str, kind: str, size: int) -> Costs:
    """Return the costs of a memory that has `size` texts of a kind."""
    clock, known = Clock(place), CachedEmbedder(WordVectors())
    known.embed(["loaded"])
    settings = Settings(space=space, embedder="none")
    stored = texts(kind, QUESTIONS * 50, 0)[::50]
    speech = Speech(5)
    asked = [speech.question(each) for each in stored]
    new = iter(texts(kind, ADDED * (ROUNDS + 1), size + 1))
    told: Costs = {}

    def note(name: str, rounds: Sequence[tuple[float, float]]) -> None:
        told[f"{name}_cpu_ms"], told[f"{name}_ms"] = map(min, zip(*rounds, strict=True))

    before = resident()
    opened: list[Memory] = []

    def first() -> None:
        opened.append(erstwhile.open(place, embedder=known, settings=settings))
        assert find(opened[0].scoped(user=USER), asked[0])

    def find(mine: Memory, question: str) -> object:
        return mine.recall(question) if kind == "facts" else mine.conversations.search(question)

    note("first_recall", [clock.cost(first)])
    told["mib"] = resident() - before
    with opened[0] as memory:
        mine = memory.scoped(user=USER)

        def repeated(name: str, work: Callable[[], object], count: int) -> None:
            work()
            note(name, [clock.cost(work, count) for _ in range(ROUNDS)])

        def add() -> None:
            for text in islice(new, ADDED):
                if kind == "facts":
                    mine.remember(text)
                else:
                    mine.conversations.add("user", text)
            assert mine.flush(None).done

        def bulk() -> None:
            store(mine, kind, texts(kind, bulked, size + 2))
            assert mine.flush(None).done

        repeated("recall", lambda: [find(mine, each) for each in asked], len(asked))
        contexts = asked[:CONTEXTS]
        repeated(
            "context", lambda: [mine.context(each, tokens=4_000) for each in contexts], CONTEXTS
        )
        repeated("add", add, ADDED)
        bulked = min(BULK, size // 5)
        note("bulk", [clock.cost(bulk, bulked)])
        note("maintain", [clock.cost(memory.maintain)])
    examined = [clock.cost(lambda: doctor(place, models=False, settings=settings))]
    note("doctor", examined)
    told["held"] = size + (ROUNDS + 1) * ADDED + bulked
    return told


if __name__ == "__main__":
    place, space, kind, size = sys.argv[1:]
    print(json.dumps(measure(place, space, kind, int(size))))
