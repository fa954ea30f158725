"""A checkpoint: how far one phase of a run has come, so that the run can go on after a crash."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from erstwhile.core.scope import Scope
from erstwhile.storage.record import Record

MAX_OUTPUT = 1_000_000
MAX_PHASES = 1_000


class CheckpointStatus(StrEnum):
    """Where a phase stands."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint(Record):
    """One phase of a run; `changed_at` says since when it stands as it does."""

    run: str
    phase: str
    position: int
    """The first phase that was named is 1."""
    status: CheckpointStatus
    attempts: int
    """How often it was begun."""
    output: str | None
    """The last that was given: an update without one keeps it."""
    error: str | None
    """Why it failed last; gone once it is completed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """A run in short: how many phases it has, and how many are completed."""

    run: str
    scope: Scope
    phases: int
    completed: int
    changed_at: datetime

    @property
    def done(self) -> bool:
        return self.completed == self.phases
