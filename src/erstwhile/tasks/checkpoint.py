"""A checkpoint: the progress of one phase of a run, so that the run can resume after a crash."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from erstwhile.core.scope import Scope
from erstwhile.secrets.masking import masked_repr
from erstwhile.storage.record import Record

MAX_OUTPUT = 1_000_000
MAX_PHASES = 1_000


class CheckpointStatus(StrEnum):
    """The status of a phase."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint(Record):
    """One phase of a run; `changed_at` is the time of its last change."""

    run: str
    phase: str
    position: int
    """The first phase has position 1."""
    status: CheckpointStatus
    attempts: int
    """How often it was started."""
    output: str | None
    """The last output; an update without an output keeps it."""
    error: str | None
    """The error of the last failure; None once it is completed."""


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """The progress of a run: how many phases it has, and how many are completed."""

    run: str
    scope: Scope
    phases: int
    completed: int
    changed_at: datetime

    @property
    def done(self) -> bool:
        """Whether all phases are completed."""
        return self.completed == self.phases
