"""Measure the speed of recall: against the floor, with growing memories, in a small scope.

python -m bench.recall_speed                       10,000 and 100,000 facts, a few minutes
python -m bench.recall_speed --size 1000000        any size; can be repeated
python -m bench.recall_speed --quick               small sizes, a few seconds
python -m bench.recall_speed --json                for programs; so is a pipe
"""

from __future__ import annotations

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy is loaded

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click

import erstwhile
from bench.cost import in_turns
from bench.filling import fill
from bench.nearest import embedded, multiplied, recall_at_10, sentences
from bench.plain_search import PlainSearch
from bench.report import Result, show
from bench.speech import AtFullCost, Speech, WordVectors
from erstwhile import Memory
from erstwhile.adapters.embedders.base import CachedEmbedder
from erstwhile.adapters.embedders.universal import UniversalEmbedder

MANY, FEW = "ana", "bo"
SMALL_SCOPE = 1_000
QUESTIONS = 200
_CHECKOUT = Path(__file__).parents[1]
_LOCOMO = _CHECKOUT.parent / "shared/data/locomo/locomo10.json"


@dataclass(frozen=True, slots=True)
class Files:
    """Memories of growing size, each with one small scope, and a file with that scope alone."""

    folder: Path
    facts: Sequence[str]
    few: Sequence[str]
    sizes: tuple[int, ...]
    floor: int
    """The largest size at which the floor is measured."""

    def path(self, size: int) -> Path:
        return self.folder / f"{size}.db"

    @property
    def alone(self) -> Path:
        return self.folder / "alone.db"

    def make(self) -> None:
        fill(self.alone, {FEW: self.few}, WordVectors())
        for size in self.sizes:
            fill(self.path(size), {MANY: self.facts[:size], FEW: self.few}, WordVectors())


def sizes(files: Files) -> Result:
    return Result(
        "One scope, as it grows",
        "CPU time of recall : that of the floor (an exact numpy scan and one query of FTS5); the "
        "question's vector is there already, but not in the last column. Medians over questions",
        [_sized(files, size) for size in files.sizes],
    )


def _sized(files: Files, size: int) -> dict[str, str | float]:
    asked = _questions(files.facts[:size])
    with _scope(files.path(size), MANY) as memory, _at_full_cost(files.path(size)) as whole:
        ours, total = in_turns([memory.recall, whole.recall], asked)
        row = {
            "recall_ms": median(ours),
            "recall_p90_ms": sorted(ours)[len(ours) * 9 // 10],
            "with_the_vector_ms": median(total),
        }
        if size > files.floor:
            return {"facts": size, "ratio": "not measured", "floor_ms": "not measured", **row}
        with _floor(files, size) as plain:
            both = in_turns([memory.recall, plain.recall], asked)
    ratio, floor_ms = median(both[0]) / median(both[1]), median(both[1])
    return {"facts": size, "ratio": f"{ratio:.2f}", "floor_ms": f"{floor_ms:.2f}", **row}


def small_scope(files: Files) -> Result:
    return Result(
        f"{SMALL_SCOPE:,} facts of one user inside a large file",
        "CPU time of recall : the same in a file of their own",
        [_inside(files, size) for size in files.sizes],
    )


def _inside(files: Files, size: int) -> dict[str, str | float]:
    asked = _questions(files.few)
    with _scope(files.path(size), FEW) as inside, _scope(files.alone, FEW) as alone:
        costs = in_turns([inside.recall, alone.recall], asked)
    return {
        "in_a_file_of": size,
        "ratio": median(costs[0]) / median(costs[1]),
        "recall_ms": median(costs[0]),
        "alone_ms": median(costs[1]),
    }


def opening(files: Files) -> Result:
    return Result(
        "The first recall after opening, in a process of its own",
        "CPU time without the embedder's own loading; memory above a process that has recalled "
        f"from {SMALL_SCOPE:,} facts",
        [_opened(files, size) for size in files.sizes],
    )


def _opened(files: Files, size: int) -> dict[str, str | float]:
    asked = Speech(3).question(files.facts[0])
    line = [sys.executable, "-m", "bench.opening", str(files.path(0)), str(files.path(size))]
    run = subprocess.run(
        [*line, MANY, asked], check=True, capture_output=True, text=True, cwd=_CHECKOUT
    )
    return {"facts": size, **json.loads(run.stdout)}


def nearest(count: int, locomo: Path) -> Result:
    if not locomo.exists():
        told = f"not measured: {locomo.name} is not there (see --locomo)"
        return Result("The vector channel alone", told, [{"vectors": count, "recall_at_10": told}])
    turns, asked = sentences(locomo)
    vectors = multiplied(embedded(turns), count)
    found = recall_at_10(vectors, embedded(asked[:: len(asked) // QUESTIONS]))
    return Result(
        "The vector channel alone",
        "share of the ten nearest of an exact scan that is found; vectors of the bundled embedder: "
        f"{len(turns):,} turns of LoCoMo, then blends of two of them; questions of LoCoMo",
        [{"vectors": count, "recall_at_10": f"{found:.4f}"}],
    )


def embedding(files: Files) -> Result:
    asked = _questions(files.facts)[:50]
    embedder = UniversalEmbedder()
    kept = CachedEmbedder(embedder)
    anew, again = in_turns(
        [lambda q: embedder.embed([q]), lambda q: kept.embed([q], query=True)], asked
    )
    return Result(
        "The question's vector, by the bundled embedder",
        "CPU milliseconds; asked again it comes from the cache",
        [{"anew_ms": median(anew), "again_ms": f"{median(again):.3f}"}],
    )


@contextmanager
def _scope(path: Path, user: str) -> Iterator[Memory]:
    with erstwhile.open(path, embedder=CachedEmbedder(WordVectors())) as memory:
        yield memory.scoped(user=user)


@contextmanager
def _at_full_cost(path: Path) -> Iterator[Memory]:
    with erstwhile.open(path, embedder=AtFullCost()) as memory:
        yield memory.scoped(user=MANY)


@contextmanager
def _floor(files: Files, size: int) -> Iterator[PlainSearch]:
    search = PlainSearch(files.folder / f"{size}.floor", CachedEmbedder(WordVectors()))
    with closing(search) as plain:
        plain.fill(files.facts[:size])
        yield plain


def _questions(facts: Sequence[str]) -> list[str]:
    speech = Speech(5)
    return [speech.question(fact) for fact in facts[:: max(1, len(facts) // QUESTIONS)]][:QUESTIONS]


@click.command(help=__doc__)
@click.option("--size", "wanted", type=int, multiple=True, help="Facts in one scope.")
@click.option("--quick", is_flag=True, help="1,000 and 5,000 facts.")
@click.option("--floor", default=100_000, help="The largest size at which the floor is measured.")
@click.option("--locomo", type=click.Path(path_type=Path), default=_LOCOMO, help="locomo10.json.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")
def main(wanted: tuple[int, ...], quick: bool, floor: int, locomo: Path, as_json: bool) -> None:
    chosen = wanted or ((1_000, 5_000) if quick else (10_000, 100_000))
    with TemporaryDirectory() as name:
        facts, few = Speech().facts(max(chosen)), Speech(99).facts(SMALL_SCOPE)
        files = Files(Path(name), facts, few, tuple(sorted(chosen)), floor)
        files.make()
        fill(files.path(0), {MANY: few}, WordVectors())
        measured = [measure(files) for measure in (sizes, small_scope, opening, embedding)]
        measured.append(nearest(5_000 if quick else 100_000, locomo))
        show(measured, as_json=as_json)


if __name__ == "__main__":
    main()
