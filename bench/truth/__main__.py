"""Ask a system what is true now, and what was true when.

python -m bench.truth --system NAME [--from changes|turns] [--failures]

NAME is an adapter in bench/truth/systems, or the path of your own: a file with a class `System`
whose instances have `add(turn)`, `live(question)` and `as_of(question, time)`, and which is created
with an empty folder and whether typed changes are given. A peer runs with the Python of its own
environment, such as .venv-compare-mem0/bin/python. Nothing but the standard library is needed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import Any

from bench.truth.scores import STORIES, judged, read_stories, table


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.truth", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--system", required=True, help="a name, or a path to your adapter")
    parser.add_argument("--from", dest="given", choices=("changes", "turns"), default="changes")
    parser.add_argument("--stories", type=Path, default=STORIES)
    parser.add_argument("--failures", action="store_true", help="list what went wrong")
    options = parser.parse_args(arguments)
    adapter = partial(_adapter(options.system), typed=options.given == "changes")
    verdicts = list(judged(read_stories(options.stories), adapter))
    told: dict[str, Any] = {
        "system": options.system,
        "from": options.given,
        "rows": table(verdicts),
    }
    if options.failures:
        told["failures"] = [each._asdict() for each in verdicts if not each.is_right]
    print(json.dumps(told, indent=1, ensure_ascii=False))


def _adapter(name: str) -> Any:
    if name.endswith(".py"):
        return run_path(name)["System"]
    return import_module(f"bench.truth.systems.{name}").System


if __name__ == "__main__":
    main()
