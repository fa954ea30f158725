"""A clock that the tests turn."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class TurnedClock:
    """Stands still until it is turned, forwards or backwards."""

    def __init__(self) -> None:
        self._now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self._now

    def turn(self, by: timedelta) -> None:
        self._now += by
