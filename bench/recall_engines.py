"""Compare recall on PostgreSQL and on SQLite, in speed and quality.

python -m tests.engines.postgres.server python -m bench.recall_engines    10,000 and 100,000 facts
python -m bench.recall_engines --postgres URL --size 50000         your own server, other sizes
python -m bench.recall_engines --postgres URL --quick              small sizes, a few seconds

The owner of the database must run it. It creates its own spaces and does not delete them.
"""

from __future__ import annotations

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy is loaded

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from uuid import uuid4

import click
import psycopg

import erstwhile
from bench.evaluation.readers import read_questions
from bench.evaluation.scores import summary
from bench.evaluation.trial import Trial
from bench.filling import fill, remember
from bench.report import Result, show
from bench.speech import Speech, WordVectors
from erstwhile import Memory, Settings
from erstwhile.adapters.embedders.base import CachedEmbedder
from erstwhile.recall.hits import RecallHits
from erstwhile.storage.view import View

USER = "ana"
QUESTIONS = 200
ROUNDS = 4
FIRST = 1_000
_LOCOMO = Path(__file__).parents[2] / "shared/data/locomo/locomo10.json"


def sizes(postgres: str, chosen: Sequence[int], folder: Path) -> list[Result]:
    measured = [_sized(postgres, size, folder) for size in chosen]
    return [
        Result(
            "Recall of ten facts from one scope, as it grows",
            "PostgreSQL : SQLite, medians over questions by the clock, each the best of three "
            "rounds; `agreeing`: the share of SQLite's hits that PostgreSQL has too",
            [row for row, _ in measured],
        ),
        Result(
            "Where PostgreSQL's time goes",
            "milliseconds on the client's clock for each statement of a recall, the median",
            [row for _, rows in measured for row in rows],
        ),
    ]


def _sized(
    postgres: str, size: int, folder: Path
) -> tuple[dict[str, str | float], list[dict[str, str | float]]]:
    facts = Speech().facts(size)
    speech = Speech(5)
    asked = [speech.question(fact) for fact in facts[:: max(1, size // QUESTIONS)]][:QUESTIONS]
    file = fill(folder / f"{size}.db", {USER: facts}, WordVectors())
    with (
        erstwhile.open(file, embedder=CachedEmbedder(WordVectors())) as on_sqlite,
        _filled(postgres, facts) as on_postgres,
    ):
        ways = [each.scoped(user=USER).recall for each in (on_sqlite, on_postgres)]
        lite, server = _best(ways, asked)
        agreeing = mean(_share(*(way(question) for way in ways)) for question in asked)
        stages = _stages(lambda: [ways[1](question) for question in asked])
    row: dict[str, str | float] = {
        "facts": size,
        "ratio": median(server) / median(lite),
        "postgres_ms": median(server),
        "postgres_p90_ms": sorted(server)[len(server) * 9 // 10],
        "sqlite_ms": median(lite),
        "agreeing": f"{agreeing:.3f}",
    }
    return row, [{"facts": size, **stage} for stage in stages]


@contextmanager
def _filled(postgres: str, facts: Sequence[str]) -> Iterator[Memory]:
    """Fill a new space, then build the vector index at once."""
    settings = Settings(space=f"bench {uuid4().hex}")
    with erstwhile.open(postgres, embedder="none", settings=settings) as memory:
        remember(memory, {USER: facts[:FIRST]})
        _run(postgres, "ANALYZE")  # without it the server plans for an empty table
        remember(memory, {USER: facts[FIRST:]})
        _run(postgres, "SET search_path = erstwhile, public", _WITHOUT_GRAPH)
    with erstwhile.open(postgres, embedder=WordVectors(), settings=settings) as memory:
        memory.scoped(user=USER).flush(None)
        _run(postgres, "SET maintenance_work_mem = '1GB'", "DROP INDEX erstwhile.vector_index_512",
             "SELECT erstwhile.index_dimensions(512)", "VACUUM ANALYZE")  # fmt: skip
    embedder = CachedEmbedder(WordVectors())
    with erstwhile.open(postgres, embedder=embedder, settings=settings) as memory:
        yield memory


_WITHOUT_GRAPH = """
DROP INDEX IF EXISTS vector_index_512;
CREATE INDEX vector_index_512 ON vector_index (space) WHERE false
"""


def _run(postgres: str, *statements: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def _best(ways: Sequence[Callable[[str], object]], questions: Sequence[str]) -> list[list[float]]:
    """Return milliseconds of each question in each way, measured in turns."""
    best: list[dict[str, float]] = [defaultdict(lambda: float("inf")) for _ in ways]
    for rounds in range(ROUNDS):
        for question in questions:
            for way, found in zip(ways, best, strict=True):
                begun = time.perf_counter()
                way(question)
                taken = (time.perf_counter() - begun) * 1e3
                if rounds:
                    found[question] = min(found[question], taken)
    return [list(found.values()) for found in best]


def _share(expected: RecallHits, hits: RecallHits) -> float:
    texts = {hit.fact.text for hit in expected}
    return len(texts & {hit.fact.text for hit in hits}) / max(len(texts), 1)


def _stages(work: Callable[[], object]) -> list[dict[str, str | float]]:
    """Return the statements of the work, with their times."""
    taken: dict[str, list[float]] = defaultdict(list)
    rows = View.rows

    def timed(view: View, name: str, *rest: object) -> object:
        begun = time.perf_counter()
        try:
            return rows(view, name, *rest)  # type: ignore[arg-type]
        finally:
            taken[name].append((time.perf_counter() - begun) * 1e3)

    View.rows = timed  # type: ignore[method-assign, assignment]
    try:
        work()
    finally:
        View.rows = rows  # type: ignore[method-assign]
    dearest = sorted(taken, key=lambda name: -sum(taken[name]))
    return [
        {"statement": name, "ms": median(taken[name]), "times": len(taken[name]) / QUESTIONS}
        for name in dearest
    ]


def quality(postgres: str, locomo: Path) -> Result:
    """Run LoCoMo on both engines; each conversation is a scope."""
    title = "LoCoMo, universal embedder"
    if not locomo.exists():
        told = f"not measured: {locomo.name} is not there (see --locomo)"
        return Result(title, told, [{"engine": told}])
    rows: list[dict[str, str | float]] = []
    questions = read_questions(locomo)
    for place, space in ((":memory:", "main"), (postgres, f"locomo {uuid4().hex}")):
        settings = Settings(space=space, embedder="universal")
        with erstwhile.open(place, settings=settings) as memory:
            answers = Trial(way=questions.way).run(memory, questions)
        figures = {name: f"{value:.4f}" for name, value in summary(answers)[-1].erstwhile.items()}
        rows.append({"engine": place.partition(":")[0] or "sqlite", **figures})
    return Result(title, "shares of what should be found among the first answers", rows)


@click.command(help=__doc__)
@click.option("--postgres", envvar="POSTGRES_FOR_TESTS", required=True, help="postgresql://…")
@click.option("--size", "wanted", type=int, multiple=True, help="Facts in one scope.")
@click.option("--quick", is_flag=True, help="1,000 and 3,000 facts, and no LoCoMo.")
@click.option("--locomo", type=click.Path(path_type=Path), default=_LOCOMO, help="locomo10.json.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")
def main(postgres: str, wanted: tuple[int, ...], quick: bool, locomo: Path, as_json: bool) -> None:
    chosen = wanted or ((1_000, 3_000) if quick else (10_000, 100_000))
    with TemporaryDirectory() as name:
        measured = sizes(postgres, sorted(chosen), Path(name))
    if not quick:
        measured.append(quality(postgres, locomo))
    show(measured, as_json=as_json)


if __name__ == "__main__":
    main()
