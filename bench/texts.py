"""Measure the CPU time that texts take before anything is searched: vectors, stems and masks.

    python -m bench.texts

To compare two versions, name both `src` folders. They are measured in turns.

    python -m bench.texts ../before/src src
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

RUNS = 5
_PROSE = (
    "I think the release should wait until the new tests passed on both servers. "
    "We talked about the key points of the budget, and she keeps an open mind. "
    "Could you explain why shopping on Monday was slower, and compare it with Friday? "
    "The customer asked for a report, but the dashboard shows last month only. "
    "Everybody liked the trip to Lisbon; the hotel was close to the old harbour. "
)
_CODE = (
    "def total(items: dict[str, int]) -> int:\n    return sum(items[key] for key in items)\n\n"
    "for token in tokenizer.split(text):  # --verbose prints each of them\n    print(token)\n"
    "response = client.get(f'https://api.example.com/v1/orders/{order_id}', timeout=10)\n"
)
_TIMED = """
import time, sys
from bench.texts import message
def each(work, count):
    started = time.process_time()
    for number in range(count):
        work(number)
    print((time.process_time() - started) * 1e3 / count)
"""
_EMBEDDER = """
from erstwhile.adapters.embedders.universal import UniversalEmbedder
embed = UniversalEmbedder().embed
embed(["loaded"])
passages = [message(260, n) for n in range(200)]
"""
_MASK = "from erstwhile.secrets.masking import mask_text\nmask_text(message(100_000, 0))\n"
_ADD = """
import erstwhile, os
memory = erstwhile.open(os.environ["ERSTWHILE_DB"], embedder="none")
memory.conversations.add("user", message(10_000, -1))
"""
_START = "import time; from erstwhile.adapters.embedders.universal import UniversalEmbedder\n" + (
    "UniversalEmbedder().embed(['tea']); print(time.process_time() * 1e3)"
)
CASES = {
    "start of the default embedder, with Python": _START,
    "the same without its cache": "import os; os.environ['ERSTWHILE_CACHE'] = os.devnull\n"
    + _START,
    "vector of a question": _TIMED + _EMBEDDER + "each(lambda n: embed([f'Who is {n}?']), 200)",
    "vector of a passage, one by one": _TIMED
    + _EMBEDDER
    + "each(lambda n: embed([passages[n]]), 200)",
    "in a batch of 200": _TIMED + _EMBEDDER + "each(lambda n: embed(passages), 1); print('/200')",
    "mask 10 KB": _TIMED + _MASK + "each(lambda n: mask_text(message(10_000, n)), 50)",
    "mask 100 KB": _TIMED + _MASK + "each(lambda n: mask_text(message(100_000, n)), 5)",
    "mask 1 MB": _TIMED + _MASK + "each(lambda n: mask_text(message(1_000_000, n)), 1)",
    "terms of 10 KB": _TIMED
    + "from erstwhile.search.terms import terms\neach(lambda n: terms(message(10_000, n)), 50)",
    "store a message of 10 KB": _TIMED
    + _ADD
    + "each(lambda n: memory.conversations.add('user', message(10_000, n)), 50)",
}


def message(length: int, seed: int) -> str:
    """Return a message of prose and code, different for each seed."""
    random, parts, size = Random(seed), list[str](), 0
    while size < length:
        source = _CODE if random.random() < 0.2 else _PROSE
        lines = source.splitlines(keepends=True) if source is _CODE else source.split(". ")
        part = f"{random.choice(lines)} {random.randrange(10**6)}. "
        parts.append(part)
        size += len(part)
    return "".join(parts)[:length]


def main(trees: list[str]) -> None:
    for name, code in CASES.items():
        rounds = [[_measured(tree, code) for tree in trees] for _ in range(RUNS)]
        best = [min(taken) for taken in zip(*rounds, strict=True)]
        ratio = f"  ({best[0] / best[-1]:.1f} : 1)" if len(best) > 1 else ""
        print(f"{name:>44}:", *(f"{taken:9.2f} ms" for taken in best), ratio)


def _measured(tree: str, code: str) -> float:
    """Return the milliseconds that a new process prints."""
    with TemporaryDirectory() as folder:
        said = {**os.environ, "ERSTWHILE_DB": str(Path(folder, "memory.db"))}
        said["PYTHONPATH"] = os.pathsep.join(filter(None, [tree, str(Path.cwd())]))
        done = subprocess.run(
            [sys.executable, "-c", code], env=said, check=True, capture_output=True, text=True
        )
    number, *per = done.stdout.split()
    return float(number) / (int(per[0][1:]) if per else 1)


if __name__ == "__main__":
    main([str(Path(tree).resolve()) for tree in sys.argv[1:]] or [""])
