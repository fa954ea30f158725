"""Limitations: what an agent found that it cannot do yet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from erstwhile.storage.record import Record

MAX_LIMITATION_TITLE = 500
MAX_DESCRIPTION = 20_000


class LimitationStatus(StrEnum):
    """Whether a limitation still holds. `any` in a question means both."""

    OPEN = "open"
    RESOLVED = "resolved"
    ANY = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limitation(Record):
    """What cannot be done, how often it was reported, and how it was resolved if it was."""

    title: str
    description: str | None
    plan: str | None
    reports: int
    reported_at: datetime
    resolved_at: datetime | None
    resolution: str | None

    @property
    def status(self) -> LimitationStatus:
        return LimitationStatus.OPEN if self.resolved_at is None else LimitationStatus.RESOLVED
