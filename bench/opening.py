"""In a process of its own: what the first recall after opening a file costs, in time and memory.

python -m bench.opening SMALL_FILE FILE USER QUESTION

The small file is recalled from first, so that what any recall loads is not counted.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import erstwhile
from bench.cost import cost
from bench.speech import WordVectors


def resident() -> float:
    """Megabytes of memory that this process has."""
    status = Path("/proc/self/status").read_text("utf-8")
    return next(int(line.split()[1]) / 1_024 for line in status.splitlines() if "VmRSS" in line)


def first_recall(file: str, user: str, question: str) -> None:
    with erstwhile.open(file, embedder=_VECTORS) as memory:
        assert memory.scoped(user=user).recall(question)
        _HELD.append(resident())


_VECTORS = WordVectors()
_HELD: list[float] = []

if __name__ == "__main__":
    small, file, user, question = sys.argv[1:]
    first_recall(small, user, question)
    spent = cost(lambda: first_recall(file, user, question))
    print(json.dumps({"cpu_ms": spent.cpu * 1e3, "megabytes": _HELD[1] - _HELD[0]}))
