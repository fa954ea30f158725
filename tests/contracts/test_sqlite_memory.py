"""Every contract, on SQLite in this process's own memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from erstwhile.core.ports import Engine
from erstwhile.engines.sqlite.engine import SqliteEngine
from tests import contracts


@pytest.fixture
def engine() -> Iterator[Engine]:
    engine = SqliteEngine(":memory:")
    yield engine
    engine.close()


globals().update(contracts.classes())
