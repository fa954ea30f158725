"""A task: something to be done at a time, once or again and again, by one worker at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from erstwhile.core.scope import Scope
from erstwhile.storage.record import Record

MAX_RESULT = 100_000
"""Of what a run brought, or why it failed."""


class TaskType(StrEnum):
    """What is to be done: tell somebody, or do something."""

    REMINDER = "reminder"
    ACTION = "action"


class TaskStatus(StrEnum):
    """Where a task stands. The first two are open, the others are ends."""

    PENDING = "pending"
    CLAIMED = "claimed"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


OPEN = frozenset((TaskStatus.PENDING, TaskStatus.CLAIMED))


class RunStatus(StrEnum):
    """How one attempt at a task went."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    EXPIRED = "expired"
    """Its worker was not heard of before the lease ran out."""
    RELEASED = "released"
    CANCELLED = "cancelled"


class AfterFailure(StrEnum):
    """What becomes of a task after an attempt failed."""

    RETRY = "retry"
    """It is tried again at its `due_at`."""
    NEXT = "next"
    """This occurrence is given up; the next one is due at `due_at`."""
    FAILED = "failed"
    """It is given up for good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Record):
    """A stored task; `changed_at` says since when it stands as it does."""

    description: str
    type: TaskType
    status: TaskStatus
    due_at: datetime
    """From when on a worker may take it."""
    occurrence_at: datetime
    """What it was planned for; a retry or a deferral moves only `due_at`."""
    anchor: str
    """Its first time, as the clock in its time zone shows it; all occurrences count from here."""
    time_zone: str
    recurrence: str | None
    reply_to: str | None
    metadata: Mapping[str, Any] = field(hash=False)
    retries: int
    """How often it is tried again before this occurrence is given up."""
    attempts: int
    """How often this occurrence was tried."""
    last_error: str | None
    run: str | None
    """The attempt that is under way."""
    worker: str | None
    lease_until: datetime | None

    def is_held(self, at: datetime) -> bool:
        """Whether a worker has it then."""
        return self.lease_until is not None and self.lease_until > at


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRun:
    """One attempt at a task: who, when, and what came of it."""

    id: str
    task: str
    scope: Scope
    status: RunStatus
    attempt: int
    worker: str
    occurrence_at: datetime
    started_at: datetime
    finished_at: datetime | None
    result: str | None
    error: str | None
    tokens_used: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A task in a worker's hands. Whoever finishes it must show the `token`."""

    task: Task
    token: str
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarTask:
    """An open task that sounds much like another, and in which words."""

    task: Task
    share: float
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduled:
    """What came of creating a task: it, whether it was there already, and which sound like it."""

    task: Task
    existed: bool
    similar: tuple[SimilarTask, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What came of a failed attempt."""

    task: Task
    then: AfterFailure
