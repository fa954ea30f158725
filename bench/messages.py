"""Measure the search of long messages, and what storing a message or a fact costs.

python -m bench.messages             1,000 and 10,000 messages of 200 words, two minutes
python -m bench.messages --quick     small sizes, a few seconds
python -m bench.messages --json      for programs; so is a pipe
"""

from __future__ import annotations

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy is loaded

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click

import erstwhile
from bench.cost import in_turns
from bench.filling import fill
from bench.plain_search import PlainSearch
from bench.report import Result, show
from bench.speech import AtFullCost, Speech, WordVectors
from erstwhile import Memory
from erstwhile.adapters.embedders.base import CachedEmbedder

USER = "ana"
QUESTIONS = 100
STORES = 60
_WORDS = {"2 KB": 270, "20 KB": 2_700, "200 KB": 27_000}
"""The words of messages of about these sizes."""


def search(folder: Path, sizes: Sequence[int]) -> Result:
    messages = Speech(9).messages(max(sizes))
    return Result(
        "Search of messages of 200 words",
        "CPU time of the search : CPU time of the floor (an exact numpy scan and one query of FTS5 "
        "over whole messages); the question's vector is there already, but not in the last column. "
        "Medians",
        [_searched(folder / f"{size}.db", messages[:size]) for size in sizes],
    )


def _searched(path: Path, messages: Sequence[str]) -> dict[str, str | float]:
    fill(path, {}, WordVectors(), {USER: messages})
    speech = Speech(5)
    about = messages[:: max(1, len(messages) // QUESTIONS)][:QUESTIONS]
    asked = [speech.question(each, most=10) for each in about]
    known = CachedEmbedder(WordVectors())
    with (
        erstwhile.open(path, embedder=known) as ready,
        erstwhile.open(path, embedder=AtFullCost()) as whole,
        closing(PlainSearch(path.with_suffix(".floor"), known)) as floor,
    ):
        floor.fill(messages)
        ours = [each.scoped(user=USER).conversations.search for each in (ready, whole)]
        costs = in_turns([*ours, floor.recall], asked)
    search_ms, whole_ms, floor_ms = map(median, costs)
    return {
        "messages": len(messages),
        "ratio": search_ms / floor_ms,
        "floor_ms": floor_ms,
        "search_ms": search_ms,
        "search_p90_ms": sorted(costs[0])[len(costs[0]) * 9 // 10],
        "with_the_vector_ms": whole_ms,
    }


def storing(folder: Path) -> Result:
    """Store in a memory with the bundled embedder, which works in the background."""
    with erstwhile.open(folder / "storing.db", embedder="universal") as memory:
        mine = memory.scoped(user=USER)
        mine.remember("The model is loaded.")
        mine.flush(None)
        rows = [_stored("remember a fact", mine, mine.remember, Speech(3).facts(STORES))]
        for size, words in _WORDS.items():
            texts = Speech(4).messages(STORES if words < 10_000 else 8, words)
            rows.append(_stored(f"add a message of {size}", mine, _adding(mine), texts))
    return Result(
        "Storing, one by one",
        "CPU milliseconds, medians: of the caller, and of all threads until everything has its "
        "vector; `growth` is the caller's time : that of the row above",
        [{**row, "growth": _growth(rows, place)} for place, row in enumerate(rows)],
    )


def _adding(memory: Memory) -> Callable[[str], object]:
    return lambda text: memory.conversations.add("user", text)


def _stored(
    name: str, memory: Memory, store: Callable[[str], object], texts: Sequence[str]
) -> dict[str, str | float]:
    began, taken = time.process_time(), []
    for text in texts:
        before = time.thread_time()
        store(text)
        taken.append((time.thread_time() - before) * 1e3)
    memory.flush(None)
    whole = (time.process_time() - began) * 1e3 / len(texts)
    return {
        "what": name,
        "characters": int(median(map(len, texts))),
        "caller_ms": median(taken),
        "with_vectors_ms": whole,
    }


def _growth(rows: Sequence[dict[str, str | float]], place: int) -> str | float:
    if place < 2:
        return ""
    return float(rows[place]["caller_ms"]) / float(rows[place - 1]["caller_ms"])


@click.command(help=__doc__)
@click.option("--quick", is_flag=True, help="250 and 1,000 messages.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")
def main(quick: bool, as_json: bool) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        sizes = (250, 1_000) if quick else (1_000, 10_000)
        show([search(folder, sizes), storing(folder)], as_json=as_json)


if __name__ == "__main__":
    main()
