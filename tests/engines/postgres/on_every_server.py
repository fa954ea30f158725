"""Run the contracts on every installed PostgreSQL server, and print a table: scripts/servers.

Each server is used by an owner that is no superuser and owns only the schema. An administrator
installs pgvector in a schema that is not `public`, or not at all.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

import psycopg
from psycopg.errors import FeatureNotSupported, UndefinedFile

from tests.engines.postgres.installations import Cluster, Installation, installations
from tests.engines.postgres.server import VARIABLE

CONTRACTS = "tests/contracts/test_postgres.py"
_SEEN = re.compile(r"(\d+) (passed|failed|error|skipped)")


def main(*arguments: str) -> int:
    """Print a line for each server, with and without pgvector. Arguments go to pytest."""
    print(
        "| PostgreSQL | pgvector | passed | failed | skipped |\n|---|---|---|---|---|", flush=True
    )
    failed = 0
    for installation in installations():
        for with_vector in (True, False):
            failed += _try(installation, arguments, with_vector=with_vector)
    return min(failed, 1)


def _try(installation: Installation, arguments: tuple[str, ...], *, with_vector: bool) -> int:
    with installation.cluster() as cluster:
        vector = _prepare(cluster, with_vector=with_vector)
        if with_vector and vector is None:
            return 0
        seen = _run(cluster, arguments)
    failed = seen.get("failed", 0) + seen.get("error", 0)
    figures = (seen.get("passed", 0), failed, seen.get("skipped", 0))
    cells = [installation.version, vector or "none", *(f"{figure:,}" for figure in figures)]
    print(f"| {' | '.join(cells)} |", flush=True)
    return failed


def _prepare(cluster: Cluster, *, with_vector: bool) -> str | None:
    """Create the owner with its schema; return the version of pgvector."""
    with psycopg.connect(cluster.url, autocommit=True) as server:
        server.execute("CREATE ROLE memory_owner LOGIN")
        server.execute("CREATE ROLE erstwhile_app NOLOGIN ROLE memory_owner")
        server.execute("CREATE SCHEMA erstwhile AUTHORIZATION memory_owner")
        if not with_vector:
            return None
        server.execute("CREATE SCHEMA extensions")
        try:
            server.execute("CREATE EXTENSION vector SCHEMA extensions")
        except (FeatureNotSupported, UndefinedFile):
            return None
        server.execute("GRANT USAGE ON SCHEMA extensions TO PUBLIC")
        found = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
        [(version,)] = server.execute(found).fetchall()
    return str(version)


def _run(cluster: Cluster, arguments: tuple[str, ...]) -> dict[str, int]:
    """Run the contracts; return how many ended in which way."""
    command = [sys.executable, "-m", "pytest", "-q", CONTRACTS, *arguments]
    told = {
        **os.environ,
        VARIABLE: psycopg.conninfo.make_conninfo(cluster.url, user="memory_owner"),
    }
    run = subprocess.run(command, env=told, capture_output=True, text=True, check=False)
    lines = run.stdout.splitlines()
    problems = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    print("\n".join(problems), file=sys.stderr, flush=True)
    seen = {kind: int(number) for number, kind in _SEEN.findall(lines[-1] if lines else "")}
    # A run that was cut off, or found no test, must not look like one without failures.
    return seen if run.returncode in (0, 1) and seen else {"error": 1}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
