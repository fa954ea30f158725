"""Observations: what an agent noticed while it worked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from erstwhile.storage.record import Record

MAX_TITLE = 500
MAX_PART = 20_000


class ObservationType(StrEnum):
    """What sort of thing was noticed."""

    BUGFIX = "bugfix"
    DECISION = "decision"
    PATTERN = "pattern"
    CONFIG = "config"
    DISCOVERY = "discovery"
    LEARNING = "learning"
    ARCHITECTURE = "architecture"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation(Record):
    """A note on the work: what, why, where, and what was learned."""

    type: ObservationType
    title: str
    what: str | None
    why: str | None
    where: str | None
    learned: str | None

    @property
    def searched(self) -> str:
        """All of its text, as full-text search reads it."""
        parts = (self.title, self.what, self.why, self.where, self.learned)
        return " \n ".join(part for part in parts if part)
