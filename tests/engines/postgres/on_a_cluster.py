"""Run the contracts on a Citus cluster of a coordinator and two workers: see scripts/citus.

Arguments go to pytest, except those of `contract_runs`.
"""

from __future__ import annotations

import sys

import psycopg

from erstwhile.operations import store
from tests.engines.postgres.cluster import running_cluster
from tests.engines.postgres.contract_runs import arguments, contracts_on
from tests.engines.postgres.server import end_on_termination

_VERSIONS = """SELECT current_setting('server_version'),
  (SELECT extversion FROM pg_extension WHERE extname = 'citus'),
  (SELECT extversion FROM pg_extension WHERE extname = 'vector')"""


def main() -> int:
    end_on_termination()
    given, for_pytest = arguments().parse_known_args()
    with running_cluster() as cluster:
        url = cluster.database("memory")
        store.distribute(url)
        with psycopg.connect(url) as connection:
            [(server, citus, vector)] = connection.execute(_VERSIONS).fetchall()
        name = f"PostgreSQL {server.split()[0]} with Citus {citus}"
        failed = 0
        for portion in given.portions:
            run = contracts_on(url, name, vector, portion, for_pytest)
            run.tell(given.page)
            failed += run.failed
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
