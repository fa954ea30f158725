"""Every contract, on a PostgreSQL server; each test has a space of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect.engine.postgres import PostgresEngine
from recollect.ports import Engine
from recollect.testing import contracts


@pytest.fixture
def engine(postgres: str, space: str) -> Iterator[Engine]:
    engine = PostgresEngine(postgres, space=space)
    yield engine
    engine.close()


globals().update(contracts.tests())
