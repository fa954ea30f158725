"""Measure CPU time and memory of the first recall after opening a file. `recall_speed` starts it.

python -m bench.opening SMALL_FILE FILE USER QUESTION

The small file is searched first, so that the modules that every recall loads do not count.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import erstwhile
from bench.cost import cost
from bench.speech import WordVectors


def resident() -> float:
    """Return the megabytes of memory of this process."""
    status = Path("/proc/self/status").read_text("utf-8")
    return next(int(line.split()[1]) / 1_024 for line in status.splitlines() if "VmRSS" in line)


def first_recall(file: str, user: str, question: str) -> None:
    """Open a file and recall once."""
    with erstwhile.open(file, embedder=_VECTORS) as memory:
        assert memory.scoped(user=user).recall(
            question, floor=0.0
        )  # the small memory has no answer
        _HELD.append(resident())


_VECTORS = WordVectors()
_HELD: list[float] = []

if __name__ == "__main__":
    small, file, user, question = sys.argv[1:]
    first_recall(small, user, question)
    spent = cost(lambda: first_recall(file, user, question))
    print(json.dumps({"cpu_ms": spent.cpu * 1e3, "megabytes": _HELD[1] - _HELD[0]}))
