"""One system in a process of its own: reads commands as JSON lines, answers each with its cost.

python -m bench.compare.worker NAME     in the environment of the system
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from bench.compare.system import System, load

ROUNDS = 3


class Worker:
    def __init__(self, name: str) -> None:
        self._name = name
        self._system: System | None = None

    def open(self, folder: str, dimensions: int = 0, table: str = "") -> None:
        """Open with vectors of words, of a table, or without (FTS5, or the system's own)."""
        embed = None
        if dimensions or table:
            from bench.compare import vectors

            embed = vectors.of_table(Path(table)) if table else vectors.of_words(dimensions)
        self._system = load(self._name)(Path(folder), embed)

    def add(self, texts: dict[str, str]) -> None:
        for id, text in texts.items():
            self._opened.add(id, text)

    def acknowledge(self, texts: dict[str, str], file: str) -> None:
        """Add one by one, and write each id to a file when it is stored."""
        with Path(file).open("a", buffering=1, encoding="utf-8") as acknowledged:
            for id, text in texts.items():
                self._opened.add(id, text)
                acknowledged.write(f"{id}\n")

    def add_many(self, texts: dict[str, str]) -> None:
        self._opened.add_many(texts)

    def recall(self, questions: list[str], limit: int = 10) -> list[list[str]]:
        return [self._opened.recall(each, limit) for each in questions]

    def timed(self, questions: list[str]) -> dict[str, list[float]]:
        """Ask each question several times; the least CPU and wall milliseconds of each."""
        least: dict[str, list[float]] = {"cpu": [], "wall": []}
        for question in questions:
            costs = [self._asked(question) for _ in range(ROUNDS)]
            for at, name in enumerate(least):
                least[name].append(min(cost[at] for cost in costs))
        return least

    def _asked(self, question: str) -> tuple[float, float]:
        cpu, wall = time.process_time(), time.perf_counter()
        self._opened.recall(question, 10)
        return (time.process_time() - cpu) * 1e3, (time.perf_counter() - wall) * 1e3

    def delete(self, ids: list[str]) -> None:
        for id in ids:
            self._opened.delete(id)

    def peak(self) -> float:
        """Return the most MiB that this process had; that of `wait4` has the parent's, too."""
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
        return next(float(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))

    def close(self) -> None:
        self._opened.close()
        self._system = None

    @property
    def _opened(self) -> System:
        assert self._system, "the first command is open"
        return self._system


def answer(work: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a command with its CPU and wall seconds, or its error."""
    cpu, wall = time.process_time(), time.perf_counter()
    try:
        with redirect_stdout(sys.stderr):
            result = work(**arguments)
    except BaseException as error:
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    return {
        "result": result,
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - wall,
    }


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # a peer that prints does not disturb the answers
    worker = Worker(sys.argv[1])
    for line in sys.stdin:
        command = json.loads(line)
        given = answer(getattr(worker, command.pop("do")), command)
        print(json.dumps(given), file=answers, flush=True)
    answers.close()
    os._exit(0)  # threads of a peer must not keep the process


if __name__ == "__main__":
    main()
