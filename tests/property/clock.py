"""A clock that tests control."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class TurnedClock:
    """A clock that moves only when a test moves it, forwards or backwards."""

    def __init__(self) -> None:
        self._now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self._now

    def turn(self, by: timedelta) -> None:
        self._now += by
