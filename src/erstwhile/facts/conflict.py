"""Two facts that may contradict each other, until somebody says which of them holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from erstwhile.facts.fact import Fact
from erstwhile.storage.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict(Record):
    """A pair of facts, the one recorded first first; open until `settled_at`."""

    older: Fact
    newer: Fact
    reason: str | None
    settled_at: datetime | None
    kept: str | None
    """The id of the fact that stays; None if both do."""
    resolution: str | None
    moot: bool
    """Whether one of the two had ended or was deleted when this was read: they clash no more."""

    def other(self, kept: str) -> Fact:
        """The one of the two that is not this."""
        return self.newer if kept == self.older.id else self.older
