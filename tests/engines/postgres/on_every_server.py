"""Run the contracts on every installed PostgreSQL server, and print a table: scripts/servers.

Each server is used by an owner that is no superuser and owns only the schema. An administrator
installs pgvector in a schema that is not `public`, or not at all; the owner has no right to.
Arguments go to pytest, except `--only 15` (one version), `--pgvector no` (only without it), `yes`
(only with it), and those of `contract_runs`.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator

import psycopg
from psycopg.errors import FeatureNotSupported, UndefinedFile

from tests.engines.postgres.contract_runs import ContractRun, arguments, contracts_on
from tests.engines.postgres.installations import Cluster, Installation, installations
from tests.engines.postgres.server import end_on_termination

_VECTOR = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"


def main() -> int:
    """Print a line for each server, with and without pgvector."""
    end_on_termination()
    parser = arguments()
    parser.add_argument("--only", default="")
    parser.add_argument("--pgvector", choices=("yes", "no"))
    given, for_pytest = parser.parse_known_args()
    failed = 0
    for installation in installations():
        if installation.version.startswith(given.only):
            for run in _runs(installation, given, for_pytest):
                run.tell(given.page)
                failed += run.failed
    return min(failed, 1)


def _runs(
    installation: Installation, given: Namespace, for_pytest: list[str]
) -> Iterator[ContractRun]:
    for with_vector in (True, False):
        if given.pgvector == ("no" if with_vector else "yes"):
            continue
        with installation.cluster() as cluster:
            _prepare(cluster, with_vector=with_vector)
            vector = _vector(cluster)
            if with_vector and vector == "none":
                continue
            owner = psycopg.conninfo.make_conninfo(cluster.url, user="memory_owner")
            name = f"PostgreSQL {installation.version}"
            for portion in given.portions:
                yield contracts_on(owner, name, vector, portion, for_pytest)
            if _vector(cluster) != vector:
                raise RuntimeError("pgvector was installed or removed meanwhile")


def _prepare(cluster: Cluster, *, with_vector: bool) -> None:
    """Create the owner with its schema, and pgvector if it is wanted and there."""
    with psycopg.connect(cluster.url, autocommit=True) as server:
        server.execute("CREATE ROLE memory_owner LOGIN")
        server.execute("CREATE ROLE erstwhile_app NOLOGIN ROLE memory_owner")
        server.execute("CREATE SCHEMA erstwhile AUTHORIZATION memory_owner")
        if not with_vector:
            return
        server.execute("CREATE SCHEMA extensions")
        try:
            server.execute("CREATE EXTENSION vector SCHEMA extensions")
        except (FeatureNotSupported, UndefinedFile):
            return
        server.execute("GRANT USAGE ON SCHEMA extensions TO PUBLIC")


def _vector(cluster: Cluster) -> str:
    """Return the version of pgvector, or "none"."""
    with psycopg.connect(cluster.url) as server:
        return "".join(str(version) for (version,) in server.execute(_VECTOR)) or "none"


if __name__ == "__main__":
    sys.exit(main())
