"""Score rankings of anybody on LoCoMo, LongMemEval, BEAM or MADial-Bench.

python -m bench.score texts FILE                    every text with its id, as JSON lines
python -m bench.score questions FILE                every question with its id
python -m bench.score rank FILE SYSTEM TARGET       rankings by erstwhile or bm25
python -m bench.score score FILE RANKINGS...        their figures, beside a prompt with everything
python -m bench.score publish FILE... [--again]     write bench/score/results.json, for the page

A line of rankings is {"question": ID, "ranked": [ID, …]}, best first: ids of texts, or of sessions.
The store `one` has the texts of all conversations; `each` has those of the question.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path

import click

from bench.evaluation.readers import read_questions
from bench.report import Result, show
from bench.score.figures import full_context, rows
from bench.score.pool import EACH, STORES, pooled
from bench.score.rankers import DEPTH, RANKERS, ranked
from erstwhile.adapters.tokenizers import EstimatingTokenizer

HERE = Path(__file__).parent
PUBLISHED = 30
"""The ids of a question that are kept: enough for ten sessions of most."""
_FILE = click.argument("file", type=click.Path(exists=True, path_type=Path))
_STORE = click.option("--store", type=click.Choice(STORES), default=EACH)


@click.group(help=__doc__)
def main() -> None:
    """Run a command."""


@main.command()
@_FILE
def texts(file: Path) -> None:
    """Print each text with its id and session."""
    pool = pooled(read_questions(file), EACH)
    for id, text in pool.texts.items():
        _print({"id": id, "session": pool.sessions[id], "text": text})


@main.command()
@_FILE
def questions(file: Path) -> None:
    """Print each question with its id and the name of its store."""
    for haystack, asked in pooled(read_questions(file), EACH).questions():
        _print({"question": asked.id, "store": haystack.name, "text": asked.question.text})


@main.command()
@_FILE
@click.argument("system", type=click.Choice(list(RANKERS)))
@click.argument("target", type=click.Path(path_type=Path))
@_STORE
@click.option("--depth", default=DEPTH, help="How many ids are written for a question.")
def rank(file: Path, system: str, target: Path, store: str, depth: int) -> None:
    """Write the first ids for each question."""
    read = read_questions(file)
    _write(target, ranked(pooled(read, store), read.way, system), depth)


@main.command()
@_FILE
@click.argument("rankings", nargs=-1, type=click.Path(exists=True, path_type=Path))
@_STORE
@click.option("--seed", default=13, help="Of the bootstrap intervals.")
@click.option("--json", "as_json", is_flag=True)
def score(file: Path, rankings: tuple[Path, ...], store: str, seed: int, as_json: bool) -> None:
    """Print the figures of rankings."""
    read = read_questions(file)
    pool = pooled(read, store)
    count = EstimatingTokenizer().count
    told = full_context(pool, count)
    for each in rankings:
        told += rows(each.stem, pool, _read(each), count, seed)
    meaning = f"store: {store}; in brackets: 95 % of {1_000:,} bootstrap samples, seed {seed}"
    show([Result(read.name, meaning, told)], as_json=as_json)


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--again", is_flag=True, help="Rank anew, which takes minutes.")
@click.option("--seed", default=13, help="Of the bootstrap intervals.")
def publish(files: tuple[Path, ...], again: bool, seed: int) -> None:
    """Score BM25 and the rankings of Erstwhile that lie here, with both stores."""
    count, told = EstimatingTokenizer().count, list[dict[str, str | float]]()
    for file, store in product(files, STORES):
        read = read_questions(file)
        pool = pooled(read, store)
        target = HERE / read.name.lower() / f"erstwhile-{store}.jsonl"
        if again:
            target.parent.mkdir(exist_ok=True)
            _write(target, ranked(pool, read.way, "erstwhile"), PUBLISHED)
        named = {"set": read.name, "store": store}
        by_words = {id: ids[:PUBLISHED] for id, ids in ranked(pool, read.way, "bm25")}
        scored = rows("bm25", pool, by_words, count, seed)
        scored += rows("erstwhile", pool, _read(target), count, seed)
        told += [{**named, **row} for row in (*full_context(pool, count), *scored)]
    (HERE / "results.json").write_text(json.dumps(told, indent=1) + "\n", "utf-8")


def _write(target: Path, rankings: Iterable[tuple[str, Sequence[str]]], depth: int) -> None:
    lines = (json.dumps({"question": id, "ranked": ids[:depth]}) for id, ids in rankings)
    target.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def _read(file: Path) -> dict[str, list[str]]:
    lines = map(json.loads, filter(None, file.read_text("utf-8").splitlines()))
    return {each["question"]: each["ranked"] for each in lines}


def _print(line: dict[str, str]) -> None:
    click.echo(json.dumps(line, ensure_ascii=False))


if __name__ == "__main__":
    main()
