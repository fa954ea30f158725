"""Measure the CPU time of a new process until its first answer, with the start of Python.

    python -m bench.starting

To compare two versions, name both `src` folders, compiled. They are measured in turns.

    python -m compileall -q ../before/src src && python -m bench.starting ../before/src src
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.process_cost import cpu

RUNS = 9
OPEN = "import erstwhile\nwith erstwhile.open() as memory:"
CASES = {
    "python -c pass": ["-c", "pass"],
    "import erstwhile": ["-c", "import erstwhile"],
    "open and close": ["-c", f"{OPEN} pass"],
    "and remember": ["-c", f"{OPEN} memory.remember('I like tea')"],
    "and recall": ["-c", f"{OPEN} memory.remember('I like tea'); memory.recall('tea')"],
    "erstwhile --help": ["-m", "erstwhile", "--help"],
    "erstwhile facts list": ["-m", "erstwhile", "facts", "list"],
    "erstwhile recall tea": ["-m", "erstwhile", "recall", "tea"],
}


def main(trees: list[str]) -> None:
    with TemporaryDirectory() as folder:
        places = [_environment(tree, Path(folder, "memory.db")) for tree in trees]
        for name, words in CASES.items():
            rounds = [[cpu(words, environment=each) for each in places] for _ in range(RUNS + 1)]
            taken = zip(*rounds[1:], strict=True)
            costs = [f"{min(each):4.0f} to {median(each):4.0f} ms" for each in taken]
            print(f"{name:>22}:", *costs)


def _environment(tree: str, file: Path) -> dict[str, str]:
    kept = {name: said for name, said in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    where = {"PYTHONPATH": tree} if tree else {}
    return {**kept, **where, "ERSTWHILE_DB": str(file), "ERSTWHILE_EMBEDDER": "none"}


if __name__ == "__main__":
    main([str(Path(tree).resolve()) for tree in sys.argv[1:]] or [""])
