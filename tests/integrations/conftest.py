"""A memory on each engine, for what is stored from other programs."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

import erstwhile
from erstwhile import Memory


@pytest.fixture(params=["sqlite", "postgres"])
def memory(request: pytest.FixtureRequest, postgres: str) -> Iterator[Memory]:
    is_file = request.param == "sqlite"
    chosen = erstwhile.Settings(embedder="none", space="main" if is_file else uuid4().hex)
    with erstwhile.open(":memory:" if is_file else postgres, settings=chosen) as opened:
        yield opened
