"""The clock of the machine."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """The clock of the machine, in UTC."""

    def now(self) -> datetime:
        """Return the present time in UTC."""
        return datetime.now(UTC)
