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

RUNS = 3
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
_SYLLABLES = (
    "ba",
    "con",
    "der",
    "fi",
    "ing",
    "lu",
    "mon",
    "ness",
    "pro",
    "ri",
    "sta",
    "tion",
    "ves",
)
_TIMED = """
import time, sys
from bench.texts import message
def each(work, texts):
    started = time.process_time()
    for text in texts:
        work(text)
    print((time.process_time() - started) * 1e3 / len(texts))
def messages(length, count):
    return [message(length, number) for number in range(count)]
"""
_EMBEDDER = f"""{_TIMED}
from erstwhile.adapters.embedders.universal import UniversalEmbedder
embed = UniversalEmbedder().embed
embed(["loaded"])
"""
_MASK = f"""{_TIMED}
from erstwhile.secrets.masking import mask_text
mask_text(message(100_000, -1))
"""
_TERMS = f"""{_TIMED}
from erstwhile.search.terms import terms
terms("loaded")
"""
_ADD = f"""{_TIMED}
import erstwhile, os
memory = erstwhile.open(os.environ["ERSTWHILE_DB"], embedder="none")
add = memory.conversations.add
add("user", message(100_000, -1))
"""
_START = """
import time
from erstwhile.adapters.embedders.universal import UniversalEmbedder
UniversalEmbedder().embed(["tea"])
print(time.process_time() * 1e3)
"""
_NO_CACHE = "import os; os.environ['ERSTWHILE_CACHE'] = os.devnull"
CASES = {
    "start of the default embedder, with Python": _START,
    "the same without its cache": _NO_CACHE + _START,
    "vector of a question": _EMBEDDER + "each(lambda text: embed([text]), messages(40, 200))",
    "vector of a passage alone": _EMBEDDER + "each(lambda text: embed([text]), messages(260, 100))",
    "100 of them in a batch": _EMBEDDER + "each(embed, [messages(260, 100)])",
    "mask 10 KB": _MASK + "each(mask_text, messages(10_000, 50))",
    "mask 100 KB": _MASK + "each(mask_text, messages(100_000, 5))",
    "mask 1 MB": _MASK + "each(mask_text, messages(1_000_000, 1))",
    "terms of 10 KB": _TERMS + "each(terms, messages(10_000, 50))",
    "store a message of 10 KB": _ADD + "each(lambda text: add('user', text), messages(10_000, 50))",
}


def message(length: int, seed: int) -> str:
    """Return a message of prose and code, different for each seed."""
    random, parts, size = Random(seed), list[str](), 0
    while size < length:
        source = _CODE if random.random() < 0.2 else _PROSE
        lines = source.splitlines(keepends=True) if source is _CODE else source.split(". ")
        word = "".join(random.choices(_SYLLABLES, k=3))
        part = f"{random.choice(lines)} {word} {random.randrange(10**6)}. "
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
    return float(done.stdout)


if __name__ == "__main__":
    main([str(Path(tree).resolve()) for tree in sys.argv[1:]] or [""])
