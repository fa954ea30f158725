"""A task: due at a time, once or repeatedly, done by one worker at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any

from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.core.scope import Scope
from erstwhile.storage.record import Record

MAX_RESULT = 100_000
"""The longest result or error of a run, in characters."""


class TaskType(StrEnum):
    """Whether a worker reminds a person or does something itself."""

    REMINDER = "reminder"
    ACTION = "action"


class TaskStatus(StrEnum):
    """The status of a task. Pending and claimed tasks are open, all others have ended."""

    PENDING = "pending"
    CLAIMED = "claimed"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


OPEN = frozenset((TaskStatus.PENDING, TaskStatus.CLAIMED))


class RunStatus(StrEnum):
    """The status of one attempt at a task."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    EXPIRED = "expired"
    """The lease ended before the worker finished."""
    RELEASED = "released"
    CANCELLED = "cancelled"


class AfterFailure(StrEnum):
    """The next step of a task after a failed attempt."""

    RETRY = "retry"
    """The task is tried again at its `due_at`."""
    NEXT = "next"
    """This occurrence has failed; the next one is due at `due_at`."""
    FAILED = "failed"
    """The task has failed."""


@public_record
class Task(Record):
    """A stored task; `changed_at` is the time of its last change."""

    _shown = ("short_id", "status", "due_at", "description")
    description: str
    type: TaskType
    status: TaskStatus = TaskStatus.PENDING
    due_at: datetime
    """The earliest time at which a worker may claim it."""
    occurrence_at: datetime
    """The planned time of this occurrence; a retry or a deferral moves only `due_at`."""
    anchor: str
    """The wall-clock time of the first occurrence; all others count from here."""
    time_zone: str
    recurrence: str | None
    reply_to: str | None
    metadata: Mapping[str, Any] = field(hash=False)
    retries: int
    """The number of retries before this occurrence fails."""
    attempts: int = 0
    """The number of attempts at this occurrence."""
    last_error: str | None = None
    run: str | None = None
    """The id of the run in progress."""
    worker: str | None = None
    lease_until: datetime | None = None

    def is_held(self, at: datetime) -> bool:
        """Return whether a worker holds the task at that time."""
        return self.lease_until is not None and self.lease_until > at


@public_record
class TaskRun(PublicRecord):
    """One attempt at a task: the worker, the times and the result."""

    id: str
    task: str
    scope: Scope
    status: RunStatus = RunStatus.RUNNING
    attempt: int
    worker: str
    occurrence_at: datetime
    started_at: datetime
    finished_at: datetime | None = None
    result: str | None = None
    error: str | None = None
    tokens_used: int | None = None


@public_record
class Claim(PublicRecord):
    """A task that a worker holds. Finishing it needs the `token`."""

    _shown = ("task.short_id", "expires_at", "task.description")
    task: Task
    token: str
    expires_at: datetime


@public_record
class SimilarTask(PublicRecord):
    """An open task that is similar to another, and the terms they share."""

    _shown = ("task.short_id", "share", "task.description")
    task: Task
    share: float
    terms: tuple[str, ...]


@public_record
class Scheduled(PublicRecord):
    """The result of adding a task: the task, whether it existed already, and similar ones."""

    _shown = ("task.short_id", "existed", "task.description")
    task: Task
    existed: bool
    similar: tuple[SimilarTask, ...]


@public_record
class Failure(PublicRecord):
    """The task after a failed attempt, and its next step."""

    _shown = ("task.short_id", "then", "task.description")
    task: Task
    then: AfterFailure
