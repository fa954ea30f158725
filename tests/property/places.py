"""Engines and a clock for property tests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erstwhile.bootstrap import assemble
from erstwhile.core.ports import Clock, Engine
from erstwhile.core.scope import Viewer
from erstwhile.engines.postgres.engine import PostgresEngine
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.memory import Memory
from tests.engines.postgres.server import shared_url

Place = Callable[[], Engine]
Test = Callable[..., None]


def in_process() -> Engine:
    return SqliteEngine(":memory:")


def on_postgres() -> Engine:
    """Open a memory in a new space."""
    return PostgresEngine(shared_url(), space=uuid4().hex, connections=2)


def opened(engine: Engine, clock: Clock) -> Memory:
    return assemble(engine, clock, Viewer())


def few_examples() -> settings:
    """Return the settings for PostgreSQL, where each example takes longer."""
    return settings(max_examples=5, stateful_step_count=12)


def given_on_each_engine(
    *, max_examples: int | None = None, **generated: st.SearchStrategy[Any]
) -> Callable[[Test], Test]:
    """Test with generated arguments and a `place`: with few examples on PostgreSQL."""

    def decorated(test: Test) -> Test:
        usual, few = given(**generated)(test), few_examples()(given(**generated)(test))
        if max_examples:
            usual = settings(max_examples=max_examples)(usual)

        @wraps(usual)
        def run(place: Place, **more: Any) -> None:
            (few if place is on_postgres else usual)(place=place, **more)

        both: Test = pytest.mark.parametrize("place", [in_process, on_postgres])(run)
        return both

    return decorated


class TurnedClock:
    """A clock that moves only when a test moves it, forwards or a little backwards.

    A change is refused if the newest one is more than an hour ahead of the clock.
    """

    def __init__(self) -> None:
        self._now = self._latest = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self._now

    def turn(self, by: timedelta) -> None:
        self._now = max(self._now + by, self._latest - timedelta(minutes=50))
        self._latest = max(self._now, self._latest)
