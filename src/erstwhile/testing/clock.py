"""A clock that a test sets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class FakeClock:
    """It stands still until it is told to move; backwards is allowed, as with real clocks."""

    def __init__(self, now: datetime = START) -> None:
        self._now = now

    def now(self) -> datetime:
        """The present, in UTC."""
        return self._now

    def advance(self, **by: float) -> datetime:
        """Move by so many days, hours, minutes or what else a timedelta takes."""
        self._now += timedelta(**by)
        return self._now

    def set(self, now: datetime) -> None:
        """Move to a moment."""
        self._now = now
