"""Every contract, on a PostgreSQL server; each test has a space of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from erstwhile.core.ports import Engine
from erstwhile.engines.postgres.engine import PostgresEngine
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


@pytest.fixture
def engine(postgres: str, space: str) -> Iterator[Engine]:
    engine = PostgresEngine(postgres, space=space)
    yield engine
    engine.close()


globals().update(contracts.classes(input_checks=False))
