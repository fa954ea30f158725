"""Let peers tell what is true: bench.truth, in the environment of each."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from bench.compare.measures import Comparison
from bench.compare.process import CHECKOUT, environment, python

RESULTS = CHECKOUT / "bench" / "truth" / "results.json"
_GIVEN = ("changes", "turns")


def truth(all: Comparison) -> None:
    """Write the results of all systems that have an adapter; a failure ends this step only."""
    adapters = CHECKOUT / "bench" / "truth" / "systems"
    names = [name for name in all.names if (adapters / f"{name}.py").exists()]
    told = list(_told(names, all.folder("erstwhile", "truth")))
    RESULTS.write_text(json.dumps(told, indent=1) + "\n", "utf-8")


def _told(names: Sequence[str], home: Path) -> Iterator[dict[str, Any]]:
    for given, name in product(_GIVEN, names):
        line = [str(python(name)), "-m", "bench.truth", "--system", name, "--from", given]
        run = subprocess.run(
            line, capture_output=True, text=True, check=True, env=environment(home), cwd=home
        )
        yield json.loads(run.stdout)
