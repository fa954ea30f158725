"""Fixtures: an engine and a memory in a space of their own, and direct connections."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest

from erstwhile.bootstrap import assemble
from erstwhile.core.scope import Viewer
from erstwhile.engines.postgres.engine import PostgresEngine
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock

Raw = psycopg.Connection[tuple[object, ...]]


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
