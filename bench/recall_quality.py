"""Compare the quality of recall with the full text search of SQLite; the ratio comes first.

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
    """One set of questions, and its metrics."""

    name: str
    haystacks: Sequence[Haystack]
    metrics: Mapping[str, Metric]


def tasks(data: Path, only: Sequence[str]) -> Iterator[Task]:
    """Yield the tasks whose data exist; print which ones are skipped."""
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
    """Return the embedders that work here; print which ones are skipped."""
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
    parser.add_argument("--embedder", action="append", help="by default universal and minilm")
    parser.add_argument("--only", action="append", choices=names)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = []
    embedders = installed(options.embedder or ("universal", "minilm"))
    for task in tasks(options.data, options.only or names):
        for embedder in embedders:
            lines = measured(task, embedder)
            results += [_plain(task, embedder, line) for line in lines]
            if not options.json:
                show(task, embedder, lines)
    if options.json:
        print(json.dumps(results, indent=2))


def _plain(task: Task, embedder: str, line: CategoryScores) -> dict[str, object]:
    labels = {"task": task.name, "embedder": embedder, "category": line.category}
    figures = {"ratio": line.ratio, "erstwhile": line.erstwhile, "baseline": line.baseline}
    return {**labels, "questions": line.questions, **figures}


if __name__ == "__main__":
    main()
