"""Compare Erstwhile with peers: install them, let all do the same work in turns, write the results.

scripts/compare [--quick] [--only NAME]… [--page]
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TypeAlias

import click

from bench.compare import measures
from bench.compare.environment import install, peers
from bench.compare.page import write_page
from bench.compare.process import CHECKOUT
from bench.compare.quality import quality
from bench.compare.readme import write_readme
from bench.compare.truth import truth
from erstwhile.adapters.embedders.minilm import MiniLmEmbedder
from erstwhile.adapters.embedders.universal import UniversalEmbedder
from erstwhile.core.ports import Embedder

RESULTS = Path(__file__).with_name("results.json")
SIZES = (1_000, 10_000, 100_000)
_DATA = CHECKOUT.parent / "shared" / "data"
Steps: TypeAlias = Sequence[tuple[str, Callable[[], None]]]


@click.command(help=__doc__)
@click.option("--quick", is_flag=True, help="Two conversations of LoCoMo and of BEAM.")
@click.option("--only", multiple=True, type=click.Choice(list(peers())), help="These systems.")
@click.option("--data", default=_DATA, type=click.Path(path_type=Path), help="The public sets.")
@click.option("--page", is_flag=True, help="Only write the page again, from the results.")
def main(quick: bool, only: tuple[str, ...], data: Path, page: bool) -> None:
    if not page:
        _compare(only or tuple(peers()), data, quick)
    told = json.loads(RESULTS.read_text("utf-8"))
    write_page(told, CHECKOUT / "docs")
    truth = json.loads((CHECKOUT / "bench" / "truth" / "results.json").read_text("utf-8"))
    write_readme(told, truth, CHECKOUT / "README.md")


def _compare(names: tuple[str, ...], data: Path, quick: bool) -> None:
    begun, load = monotonic(), os.getloadavg()[0]
    with TemporaryDirectory(dir=CHECKOUT.parent, ignore_cleanup_errors=True) as folder:
        all = measures.Comparison(names, Path(folder))

        def walk(steps: Steps) -> None:
            for name, work in steps:
                print(f"{monotonic() - begun:5.0f} s  {name}", file=sys.stderr)
                work()
                _write(all, quick, begun, load)

        walk([("install", lambda: _install(all))])
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(walk, (_timed(all), _tried(all, data, Path(folder), quick))))


def _write(all: measures.Comparison, quick: bool, begun: float, load: float) -> None:
    """Write what is known so far, so that an interrupted run is not lost."""
    told = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
        "python": platform.python_version(),
        "load": [round(load, 1), round(os.getloadavg()[0], 1)],
        "minutes": round((monotonic() - begun) / 60, 1),
        "quick": quick,
        "limit": "a minute of an idle machine",
        "systems": all.measured,
    }
    RESULTS.write_text(json.dumps(told, indent=1) + "\n", "utf-8")


def _timed(all: measures.Comparison) -> Steps:
    return [
        ("start", lambda: measures.starting(all)),
        ("sizes", lambda: measures.sizes(all, SIZES)),
        ("syncs", lambda: measures.syncs(all)),
    ]


def _tried(all: measures.Comparison, data: Path, home: Path, quick: bool) -> Steps:
    """Return what has no times, and so may run beside what has."""
    locomo, limit = data / "locomo" / "locomo10.json", 2 if quick else None
    beam = data / "beam" / "beam-100k-1to8.json"
    sets: dict[str, tuple[Path, int | None, Embedder]] = {
        "locomo": (locomo, limit, UniversalEmbedder()),
        "locomo-minilm": (locomo, limit, MiniLmEmbedder()),
        "beam": (beam, limit, UniversalEmbedder()),
        "madial-zh": (data / "madial" / "MADial-Bench-zh-dialogue.json", None, UniversalEmbedder()),
    }

    def asked(title: str) -> Callable[[], None]:
        file, limit, embedder = sets[title]
        return lambda: quality(all, file, title, limit, home / f"{title} vectors", embedder)

    return [
        *((title, asked(title)) for title, (file, *_) in sets.items() if file.exists()),
        ("truth", lambda: truth(all)),
        ("kill -9", lambda: measures.killed(all)),
        ("delete", lambda: measures.deleted(all)),
        ("two writers", lambda: measures.two_writers(all)),
        ("change of embedder", lambda: measures.other_embedder(all)),
    ]


def _install(all: measures.Comparison) -> None:
    known = peers()
    all.each(
        lambda name: {
            "title": known[name].title,
            "says": known[name].says,
            **install(name, known[name])._asdict(),
        },
        "packages",
    )
    all.names = [name for name in all.names if "version" in all.measured[name]]


if __name__ == "__main__":
    main()
