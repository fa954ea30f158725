"""Every contract, on a SQLite file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.engine.sqlite import SqliteEngine
from recollect.ports import Engine
from recollect.testing import contracts


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    # What FULL adds is durability against power loss, which no contract can see.
    engine = SqliteEngine(tmp_path / "memory.db", synchronous="NORMAL")
    yield engine
    engine.close()


globals().update(contracts.tests())
