"""A clock that tests control."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


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
