"""A clock for tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class FakeClock:
    """A clock that only a test moves. It may go backwards, like real clocks."""

    def __init__(self, now: datetime = START) -> None:
        self._now = now

    def now(self) -> datetime:
        """Return the time in UTC that the test has set."""
        return self._now

    def advance(self, **by: float) -> datetime:
        """Move by days, hours, minutes or other arguments of timedelta."""
        self._now += timedelta(**by)
        return self._now

    def set(self, now: datetime) -> None:
        """Move to a time."""
        self._now = now
