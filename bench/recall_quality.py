"""How well recall finds, beside SQLite's full text alone in the same run; the ratio comes first.

python -m bench.recall_quality [--data FOLDER] [--embedder NAME] [--only locomo] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import erstwhile
from bench.sets.madial import read_madial
from bench.sets.pairs import read_pairs
from erstwhile.adapters.embedders.registry import resolve
from erstwhile.evaluation.haystack import Haystack
from erstwhile.evaluation.locomo import read_locomo
from erstwhile.evaluation.metrics import METRICS, Metric, hit_at
from erstwhile.evaluation.trial import CategoryScores, Progress, run_trial, summary

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "shared" / "data"
HITS: Mapping[str, Metric] = {
    "hit@1": lambda ranked, relevant: hit_at(ranked, relevant, 1),
    "hit@3": lambda ranked, relevant: hit_at(ranked, relevant, 3),
}


@dataclass(frozen=True, slots=True)
class Task:
    """One set of questions, and what is counted."""

    name: str
    haystacks: Sequence[Haystack]
    metrics: Mapping[str, Metric]


def tasks(data: Path, only: Sequence[str]) -> Iterator[Task]:
    """Those whose data are there; of the others it is said that they are skipped."""
    for name in only:
        try:
            yield _task(name, data)
        except (FileNotFoundError, erstwhile.InvalidInputError) as error:
            print(f"skipped {name}: {error}", file=sys.stderr)


def _task(name: str, data: Path) -> Task:
    if name == "pairs":
        return Task(name, [read_pairs(HERE / "sets" / "pairs.json")], HITS)
    if name == "locomo":
        return Task(name, read_locomo(data / "locomo" / "locomo10.json"), METRICS)
    return Task(name, [read_madial(data / "madial", name.removeprefix("madial-"))], METRICS)


def measured(task: Task, embedder: str) -> list[CategoryScores]:
    with erstwhile.open(":memory:", embedder=embedder) as memory:
        answers = run_trial(memory, task.haystacks, _tell(f"{task.name}, {embedder}"))
    return summary(answers, task.metrics)


def installed(embedders: Sequence[str]) -> list[str]:
    """Those that work here; of the others it is said that they are skipped."""
    able = []
    for name in embedders:
        try:
            model = resolve(name)
            able += [name] if model is None or len(model.embed(["."])) else []
        except erstwhile.EmbedderError as error:
            print(f"skipped {name}: {error}", file=sys.stderr)
    return able


def _tell(what: str) -> Progress:
    def tell(done: int, total: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if done == total else ""
            print(f"\r{what}: {done:,} of {total:,}", end=end, file=sys.stderr, flush=True)

    return tell


def show(task: Task, embedder: str, lines: Sequence[CategoryScores]) -> None:
    print(f"\n{task.name}, {embedder}: × FTS5 alone, then ours and FTS5's")
    for line in lines:
        print(f"  {line.category:12} {line.questions:5,}   {line}", flush=True)


def main() -> None:
    names = ("locomo", "madial-en", "madial-zh", "pairs")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with the public data")
    parser.add_argument("--embedder", action="append", help="universal and minilm unless said")
    parser.add_argument("--only", action="append", choices=names)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    results = []
    embedders = installed(asked.embedder or ("universal", "minilm"))
    for task in tasks(asked.data, asked.only or names):
        for embedder in embedders:
            lines = measured(task, embedder)
            results += [_plain(task, embedder, line) for line in lines]
            if not asked.json:
                show(task, embedder, lines)
    if asked.json:
        print(json.dumps(results, indent=2))


def _plain(task: Task, embedder: str, line: CategoryScores) -> dict[str, object]:
    told = {"task": task.name, "embedder": embedder, "category": line.category}
    figures = {"ratio": line.ratio, "erstwhile": line.erstwhile, "baseline": line.baseline}
    return {**told, "questions": line.questions, **figures}


if __name__ == "__main__":
    main()
