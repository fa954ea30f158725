"""Every contract, on a PostgreSQL server; each test has a space of its own.

The tests hand their connections on to each other, as the users of a program do: on a new one, the
server would plan every statement anew. `tests/engines/postgres` tests new connections.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from erstwhile.core.ports import Engine
from erstwhile.engines.postgres.engine import PostgresEngine
from erstwhile.engines.postgres.session import PostgresSession
from erstwhile.storage.statements import load
from tests import contracts


@pytest.fixture(autouse=True)
def searched(request: pytest.FixtureRequest) -> None:
    """Skip what needs vector search on a server that has none."""
    if request.node.get_closest_marker("by_meaning") is None:
        return
    engine: Engine = request.getfixturevalue("engine")
    there = load("postgres")["searches_vectors",]
    if not engine.read(lambda session: session.rows(there, {"space": "any"}))[0][0]:
        pytest.skip("this PostgreSQL has no pgvector")


@pytest.fixture(scope="module")
def handed_on() -> Iterator[list[PostgresSession]]:
    """Yield the list in which each test leaves its connections for the next one."""
    sessions: list[PostgresSession] = []
    yield sessions
    for session in sessions:
        session.connection.close()


@pytest.fixture
def engine(postgres: str, space: str, handed_on: list[PostgresSession]) -> Iterator[Engine]:
    engine = PostgresEngine(postgres, space=space)
    idle = engine._pool._idle
    while handed_on:
        session = handed_on.pop()
        own = replace(session._settings, space=space)
        idle.append(PostgresSession(session.connection, own))
    yield engine
    handed_on += [session for session in idle if session.sound]
    idle.clear()
    engine.close()


globals().update(contracts.classes(input_checks=False))
