"""Every contract, on a PostgreSQL server; each test has a space of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from erstwhile.core.ports import Engine
from erstwhile.engines.postgres.engine import PostgresEngine
from tests import contracts


@pytest.fixture
def engine(postgres: str, space: str) -> Iterator[Engine]:
    engine = PostgresEngine(postgres, space=space)
    yield engine
    engine.close()


globals().update(contracts.classes(input_checks=False))
