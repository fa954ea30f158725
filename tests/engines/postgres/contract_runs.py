"""Run the contracts on a server that is given, and keep the result as a row in a page.

A run may be divided, on a busy machine: `--portions 1/4,2/4` takes every fourth class, then the
next ones, and adds to the row what each portion counted. `--page` names the page.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path

from tests import contracts
from tests.engines.postgres.server import VARIABLE

CONTRACTS = "tests/contracts/test_postgres.py"
WHOLE = "1/1"
_HEAD = """| server | pgvector | passed | failed | skipped | on | portions |
|---|---|---|---|---|---|---|
"""
_SEEN = re.compile(r"(\d+) (passed|failed|error|skipped)")


@dataclass(frozen=True)
class ContractRun:
    """How many contracts ended in which way, in which portions of all of them."""

    server: str
    vector: str
    passed: int
    failed: int
    skipped: int
    day: str
    portions: str

    def tell(self, page: Path | None) -> None:
        """Print the row, and put it into the page in the place of an older one."""
        print(self.row, end="", flush=True)
        if page is not None:
            page.write_text(with_run(page.read_text("utf-8"), self), "utf-8")

    @property
    def row(self) -> str:
        counts = (f"{count:,}" for count in (self.passed, self.failed, self.skipped))
        return f"| {' | '.join((self.server, self.vector, *counts, self.day, self.portions))} |\n"

    def joined(self, other: ContractRun) -> ContractRun:
        """Return both portions as one run; the portion alone if the other one is no part of it."""
        done = {*other.portions.split(), *self.portions.split()}
        size = self.portions.partition("/")[2]
        apart = self.portions not in other.portions.split()
        same = (self.server, self.vector, self.day) == (other.server, other.vector, other.day)
        if not (apart and same and all(each.endswith(f"/{size}") for each in done)):
            return self
        return replace(
            self,
            passed=self.passed + other.passed,
            failed=self.failed + other.failed,
            skipped=self.skipped + other.skipped,
            portions=WHOLE if len(done) == int(size) else " ".join(sorted(done)),
        )


def with_run(text: str, run: ContractRun) -> str:
    """Return a page with this run in its table, joined with an earlier portion of it."""
    before, head, after = text.partition(_HEAD)
    if not head:
        raise ValueError(f"the page has no table that begins with {_HEAD}")
    lines = list(takewhile(lambda line: line.startswith("|"), after.splitlines(keepends=True)))
    runs = {(each.server, each.vector): each for each in map(_read, lines)}
    earlier = runs.get((run.server, run.vector))
    runs[run.server, run.vector] = run.joined(earlier) if earlier else run
    rows = "".join(runs[name].row for name in sorted(runs))
    return before + head + rows + after[len("".join(lines)) :]


def _read(row: str) -> ContractRun:
    server, vector, *counts, day, portions = (cell.strip() for cell in row.strip("|\n").split("|"))
    passed, failed, skipped = (int(count.replace(",", "")) for count in counts)
    return ContractRun(server, vector, passed, failed, skipped, day, portions)


def arguments() -> argparse.ArgumentParser:
    """Return the options that all programs have which run contracts."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--portions", default=[WHOLE], type=lambda given: given.split(","))
    return parser


def contracts_on(
    url: str, server: str, vector: str, portion: str, for_pytest: Sequence[str]
) -> ContractRun:
    """Run a portion of the contracts. Show on the error output which failed."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    told = {**os.environ, VARIABLE: url}
    run = subprocess.run(
        [*command, *_classes(portion), *for_pytest],
        env=told,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = run.stdout.splitlines()
    problems = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    print("\n".join(problems), file=sys.stderr, flush=True)
    seen = {kind: int(number) for number, kind in _SEEN.findall(lines[-1] if lines else "")}
    if run.returncode not in (0, 1) or not seen:
        # A run that was cut off, or found no test, must not look like one without failures.
        seen = {"error": 1}
    failed = seen.get("failed", 0) + seen.get("error", 0)
    day = datetime.now(UTC).date().isoformat()
    return ContractRun(
        server, vector, seen.get("passed", 0), failed, seen.get("skipped", 0), day, portion
    )


def _classes(portion: str) -> list[str]:
    place, _, size = portion.partition("/")
    names = sorted(contracts.classes(input_checks=False))
    return [f"{CONTRACTS}::{name}" for name in names[int(place) - 1 :: int(size)]]
