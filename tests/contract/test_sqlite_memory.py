"""Every contract, on SQLite in this process's own memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect.engine.sqlite import SqliteEngine
from recollect.ports import Engine
from recollect.testing import contracts


@pytest.fixture
def engine() -> Iterator[Engine]:
    engine = SqliteEngine(":memory:")
    yield engine
    engine.close()


globals().update(contracts.tests())
