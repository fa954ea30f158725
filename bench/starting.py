"""Measure the CPU time of a new process until its first answer, with the start of Python.

The memory has one fact; for the cases with the bundled embedder also 10,000.

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

import erstwhile
from bench.process_cost import cpu
from bench.speech import Speech, WordVectors
from erstwhile.adapters.embedders.universal import UniversalEmbedder

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
    "erstwhile context tea": ["-m", "erstwhile", "context", "tea"],
}
BUNDLED = {name: CASES[name] for name in ("erstwhile recall tea", "erstwhile context tea")}
MANY = 10_000


class BundledModel(WordVectors):
    """Vectors that look like those of the bundled embedder, and cost nothing."""

    model = UniversalEmbedder.model


def main(trees: list[str]) -> None:
    with TemporaryDirectory() as folder:
        for embedder, cases, count in (
            ("none", CASES, 1),
            ("universal", BUNDLED, 1),
            ("universal", BUNDLED, MANY),
        ):
            file = Path(folder, f"{embedder} {count}.db")
            with erstwhile.open(file, embedder=BundledModel()) as memory:
                memory.remember_many(["I like tea", *Speech().facts(count - 1)])
                memory.flush(None)
            places = [_environment(tree, file, embedder) for tree in trees]
            for name, words in cases.items():
                title = f"{name}, embedder {embedder}, {count:,} facts"
                print(f"{title:>54}:", *_costs(words, places), flush=True)


def _costs(words: list[str], places: list[dict[str, str]]) -> list[str]:
    rounds = [[cpu(words, environment=each) for each in places] for _ in range(RUNS + 1)]
    taken = zip(*rounds[1:], strict=True)
    return [f"{min(each):4.0f} to {median(each):4.0f} ms" for each in taken]


def _environment(tree: str, file: Path, embedder: str) -> dict[str, str]:
    kept = {name: said for name, said in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    where = {"PYTHONPATH": tree} if tree else {}
    return {**kept, **where, "ERSTWHILE_DB": str(file), "ERSTWHILE_EMBEDDER": embedder}


if __name__ == "__main__":
    main([str(Path(tree).resolve()) for tree in sys.argv[1:]] or [""])
