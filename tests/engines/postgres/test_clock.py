"""The clock of the machine beside the server's."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from erstwhile.bootstrap import assemble
from erstwhile.core.errors import ClockError
from erstwhile.core.scope import Viewer
from erstwhile.core.time import SystemClock
from erstwhile.engines.postgres.engine import PostgresEngine


class WrongClock(SystemClock):
    """The clock of a machine that was set wrongly."""

    def __init__(self, **ahead: float) -> None:
        self._ahead = timedelta(**ahead)

    def now(self) -> datetime:
        return super().now() + self._ahead


def test_a_machine_that_is_far_ahead_of_the_server_changes_nothing(engine: PostgresEngine) -> None:
    """So no other machine is harmed. A little does not matter, and neither does one behind."""
    with pytest.raises(ClockError, match="far ahead"):
        assemble(engine, WrongClock(days=3650), Viewer()).remember("x")
    right = assemble(engine, SystemClock(), Viewer())
    assert right.facts.count() == 0
    right.remember("x")
    assemble(engine, WrongClock(minutes=30), Viewer()).remember("y")
    assemble(engine, WrongClock(days=-30), Viewer()).remember("z")
    assert {fact.text for fact in right.facts.list(as_of="in 1 hours")} == {"x", "y", "z"}
    assert right.everything().audit.repair_time(preview=True).entries == 0
