"""A pooler in transaction mode: each transaction may run on another connection of the server."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from erstwhile.bootstrap import assemble
from erstwhile.core.scope import Viewer
from erstwhile.core.time import SystemClock
from erstwhile.engines.postgres.engine import PostgresEngine
from tests.contracts.base import texts
from tests.engines.postgres.installations import free_port
from tests.engines.postgres.server import fresh_database

POOLER = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
pytestmark = pytest.mark.skipif(POOLER is None, reason="PgBouncer is not installed")
THREADS, CALLS = 10, 100


@pytest.fixture
def pooled(postgres: str, login: str) -> Iterator[str]:
    """Start PgBouncer with two connections per login to the server, and yield its address."""
    # Not in the folder of the tests: the user of the server runs it.
    with (
        fresh_database(postgres) as place,
        tempfile.TemporaryDirectory(prefix="pooler-") as name,
    ):
        folder, port = Path(name), free_port()
        folder.chmod(0o777)
        said = psycopg.conninfo.conninfo_to_dict(place)
        server = f"host={said['host']} dbname={said['dbname']}"
        (folder / "users.txt").write_text(f'"{said["user"]}" ""\n"{login}" ""\n')
        (folder / "pooler.ini").write_text(
            f"[databases]\nmemory = {server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
            f"listen_port = {port}\nunix_socket_dir =\nauth_type = trust\n"
            f"auth_file = {folder}/users.txt\npool_mode = transaction\ndefault_pool_size = 2\n"
            "ignore_startup_parameters = extra_float_digits\n"
        )
        user = ["-u", Path(str(said["host"])).owner()] if os.geteuid() == 0 else []
        assert POOLER is not None
        process = subprocess.Popen([POOLER, "-q", *user, str(folder / "pooler.ini")])
        try:
            wait_for(port)
            yield f"postgresql://{said['user']}@127.0.0.1:{port}/memory"
        finally:
            process.terminate()
            process.wait(30)


def wait_for(port: int) -> None:
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("PgBouncer did not start within ten seconds")


def test_many_threads_share_few_connections_without_an_error(pooled: str) -> None:
    """No statement that another client prepared runs in place of ours."""
    engine = PostgresEngine(pooled, busy_timeout=60.0)
    with assemble(engine, SystemClock(), Viewer()) as memory:

        def work(number: int) -> int:
            user = memory.scoped(user=f"user {number}")
            for at in range(CALLS // 4):
                fact = user.remember(f"fact {at} of {number}")
                assert user.facts.get(fact.id) == fact
                assert user.recall(f"fact {at}")
                user.facts.pin(fact.id)
            return user.facts.count()

        with ThreadPoolExecutor(THREADS) as pool:
            assert list(pool.map(work, range(THREADS))) == [CALLS // 4] * THREADS
        assert memory.everything().audit.verify().ok


def test_a_pooler_is_recognised(pooled: str, postgres: str) -> None:
    with_pooler, without = PostgresEngine(pooled), PostgresEngine(postgres)
    assert (with_pooler._pooled, without._pooled) == (True, False)
    with_pooler.close()
    without.close()


def test_a_tenant_stays_in_its_space_on_connections_that_it_shares(pooled: str, login: str) -> None:
    """What one client sets for the session is there for the next, and widens nothing."""
    tenant = psycopg.conninfo.make_conninfo(pooled, user=login)
    with (
        assemble(PostgresEngine(pooled, space="own"), SystemClock(), Viewer()) as own,
        assemble(PostgresEngine(pooled, space="other"), SystemClock(), Viewer()) as other,
    ):
        own.remember("ours")
        other.remember("secret")
        with psycopg.connect(pooled, autocommit=True) as owner:
            owner.execute("SELECT erstwhile.bind(%s, 'own')", [login])
        with psycopg.connect(tenant, autocommit=True) as attacker:
            attacker.execute("SET erstwhile.space = 'other'")
            attacker.execute("CREATE TEMP TABLE facts AS SELECT 'secret' AS text")
        with assemble(PostgresEngine(tenant, space="own"), SystemClock(), Viewer()) as bound:
            assert texts(bound.facts.list()) == ["ours"]
            assert bound.remember("more").text == "more"
        with assemble(PostgresEngine(tenant, space="other"), SystemClock(), Viewer()) as outside:
            assert outside.everything().facts.count() == 0
        with psycopg.connect(pooled, autocommit=True) as owner:
            [(role,)] = owner.execute("SELECT erstwhile.tenant_role('own')")
            owner.execute(f"DROP ROLE {role}")
