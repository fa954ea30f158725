"""Fixtures: an engine and a memory in their own space, connections, and a Citus cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from erstwhile.bootstrap import assemble
from erstwhile.core.scope import Viewer
from erstwhile.engines.postgres.engine import PostgresEngine
from erstwhile.memory import Memory
from erstwhile.operations import store
from erstwhile.testing.clock import FakeClock
from tests.engines.postgres.cluster import Cluster, running_cluster

Raw = psycopg.Connection[tuple[object, ...]]


def enter(connection: Raw, space: str) -> None:
    """Enter a space, as the engine does."""
    connection.execute("SELECT set_config('erstwhile.space', %s, false)", [space])


@pytest.fixture
def engine(postgres: str, space: str) -> Iterator[PostgresEngine]:
    engine = PostgresEngine(postgres, space=space)
    yield engine
    engine.close()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def memory(engine: PostgresEngine, clock: FakeClock) -> Memory:
    return assemble(engine, clock, Viewer())


@pytest.fixture
def raw(postgres: str, engine: PostgresEngine) -> Iterator[Raw]:  # noqa: ARG001  the schema is there
    """Yield a direct connection as superuser."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        yield connection


@pytest.fixture
def login(postgres: str) -> Iterator[str]:
    """Create a login without any rights, and yield its name."""
    name = f"login_{uuid4().hex}"
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute(f"CREATE ROLE {name} LOGIN")
        yield name
        server.execute(f"DROP ROLE {name}")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with running_cluster() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def distributed(cluster: Cluster) -> str:
    url = cluster.database("memory")
    store.distribute(url)
    return url


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the statements that are sent to the coordinator."""
    noted: list[str] = []
    execute = psycopg.Connection.execute

    def noting(connection: Any, query: Any, *given: Any, **more: Any) -> Any:
        noted.append(str(query))
        return execute(connection, query, *given, **more)

    monkeypatch.setattr(psycopg.Connection, "execute", noting)
    return noted
