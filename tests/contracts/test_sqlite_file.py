"""The contracts on a SQLite file: those that `test_http.py` does not run on one.

What is decided above the engine runs on SQLite in memory, and a file makes no difference to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from erstwhile.core.ports import Engine
from erstwhile.engines.sqlite.engine import SqliteEngine
from tests import contracts
from tests.contracts.test_http import ABOVE, TAKEN


@pytest.fixture
def engine(empty_file: Path) -> Iterator[Engine]:
    # What FULL adds is durability against power loss, which no contract can see.
    engine = SqliteEngine(empty_file, synchronous="NORMAL")
    yield engine
    engine.close()


on_a_file = contracts.classes(input_checks=False, without=ABOVE)
globals().update({name: each for name, each in on_a_file.items() if name not in TAKEN})
