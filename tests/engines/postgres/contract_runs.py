"""Run the contracts on a server that is given, and keep the result as a row in a page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import takewhile
from pathlib import Path

from tests.engines.postgres.server import VARIABLE

CONTRACTS = "tests/contracts/test_postgres.py"
_HEAD = "| server | pgvector | passed | failed | skipped | on |\n|---|---|---|---|---|---|\n"
_SEEN = re.compile(r"(\d+) (passed|failed|error|skipped)")


@dataclass(frozen=True)
class ContractRun:
    """How many contracts ended in which way."""

    server: str
    vector: str
    passed: int
    failed: int
    skipped: int
    day: date

    def tell(self, page: Path | None) -> None:
        """Print the row, and put it into the page in the place of an older one."""
        print(self._row, end="", flush=True)
        if page is not None:
            page.write_text(with_row(page.read_text("utf-8"), self._name, self._row), "utf-8")

    @property
    def _name(self) -> str:
        return f"| PostgreSQL {self.server} | {self.vector} |"

    @property
    def _row(self) -> str:
        counts = " | ".join(f"{count:,}" for count in (self.passed, self.failed, self.skipped))
        return f"{self._name} {counts} | {self.day} |\n"


def with_row(text: str, name: str, row: str) -> str:
    """Return a page with this row in its table of servers, once."""
    before, head, after = text.partition(_HEAD)
    if not head:
        raise ValueError(f"the page has no table that begins with {_HEAD}")
    rows = "".join(takewhile(lambda line: line.startswith("|"), after.splitlines(keepends=True)))
    kept = [line for line in rows.splitlines(keepends=True) if not line.startswith(name)]
    return before + head + "".join(sorted([*kept, row])) + after[len(rows) :]


def contracts_on(url: str, server: str, vector: str, for_pytest: Sequence[str]) -> ContractRun:
    """Run the contracts. Show on the error output which failed, as they fail."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", CONTRACTS]
    told = {**os.environ, VARIABLE: url}
    run = subprocess.run(
        [*command, *for_pytest], env=told, capture_output=True, text=True, check=False
    )
    lines = run.stdout.splitlines()
    problems = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    print("\n".join(problems), file=sys.stderr, flush=True)
    seen = {kind: int(number) for number, kind in _SEEN.findall(lines[-1] if lines else "")}
    if run.returncode not in (0, 1) or not seen:
        # A run that was cut off, or found no test, must not look like one without failures.
        seen = {"error": 1}
    failed = seen.get("failed", 0) + seen.get("error", 0)
    passed, skipped = seen.get("passed", 0), seen.get("skipped", 0)
    return ContractRun(server, vector, passed, failed, skipped, datetime.now(UTC).date())
