"""A connection to a database with the tables of a memory."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import pytest

from erstwhile.engines.migrations import available
from erstwhile.engines.sqlite.connection import connect, migrate
from erstwhile.engines.sqlite.location import Location


@pytest.fixture(scope="module")
def connection() -> Iterator[apsw.Connection]:
    opened = connect(Location(":memory:"), synchronous="FULL", patience=0)
    migrate(opened, available("sqlite"))
    yield opened
    opened.close()
