"""The contracts on a SQLite file, but for those of ideas that decide above the engine.

SQLite runs these in memory, too, and a file makes no difference to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from erstwhile.core.ports import Engine
from erstwhile.engines.sqlite.engine import SqliteEngine
from tests import contracts


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    # What FULL adds is durability against power loss, which no contract can see.
    engine = SqliteEngine(tmp_path / "memory.db", synchronous="NORMAL")
    yield engine
    engine.close()


globals().update(
    contracts.classes(
        input_checks=False, without=("context", "learning", "profile", "secrets", "usage")
    )
)
