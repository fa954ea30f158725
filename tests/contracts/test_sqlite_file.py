"""The contracts of storage on a SQLite file. All others run on SQLite in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from erstwhile.core.ports import Engine
from erstwhile.engines.sqlite.engine import SqliteEngine
from tests import contracts


@pytest.fixture
def engine(empty_file: Path) -> Iterator[Engine]:
    # FULL adds durability against power loss. Contracts cannot test that.
    engine = SqliteEngine(empty_file, synchronous="NORMAL")
    yield engine
    engine.close()


globals().update(contracts.classes(input_checks=False, only=("storage",)))
