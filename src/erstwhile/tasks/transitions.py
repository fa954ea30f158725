"""The life cycle of tasks: the legal transitions, and the next states as pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Generic, NamedTuple, TypeVar

from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.tasks.draft import DETAILS, TaskChanges, task_draft
from erstwhile.tasks.recurrence import occurrence_after, time_zone, to_wall_time
from erstwhile.tasks.task import AfterFailure, Failure, Task, TaskStatus

Status = TypeVar("Status", bound=StrEnum)

BACK_OFF = timedelta(minutes=1)
"""The wait before the first retry. It doubles before each further one."""
MAX_BACK_OFF = timedelta(days=1)


class Transition(NamedTuple, Generic[Status]):
    """The statuses in which a verb is allowed, and the statuses it can lead to."""

    before: tuple[Status, ...]
    after: tuple[Status, ...]


_PENDING, _CLAIMED, _FAILED = TaskStatus.PENDING, TaskStatus.CLAIMED, TaskStatus.FAILED
TASK_TRANSITIONS: Mapping[str, Transition[TaskStatus]] = {
    "claim": Transition((_PENDING,), (_CLAIMED,)),
    "heartbeat": Transition((_CLAIMED,), (_CLAIMED,)),
    # A recurring task is pending again: it waits for its next occurrence.
    "complete": Transition((_CLAIMED,), (TaskStatus.DONE, _PENDING)),
    "fail": Transition((_CLAIMED,), (_PENDING, _FAILED)),
    "expire": Transition((_CLAIMED,), (_PENDING, _FAILED)),
    "release": Transition((_CLAIMED,), (_PENDING,)),
    "update": Transition((_PENDING,), (_PENDING,)),
    # A failed task may be tried once more.
    "defer": Transition((_PENDING, _FAILED), (_PENDING,)),
    "cancel": Transition((_PENDING, _CLAIMED, _FAILED), (TaskStatus.CANCELLED,)),
}


def check_transition(
    transitions: Mapping[str, Transition[Status]], verb: str, old: Status, new: Status, name: str
) -> None:
    """Raise ConflictError unless the table allows this transition."""
    transition = transitions[verb]
    if old not in transition.before or new not in transition.after:
        needed = " or ".join(transition.before)
        raise ConflictError(f"{name} is {old}", remedy=f"`{verb}` needs the status {needed}")


def completed(task: Task, *, started: datetime, at: datetime) -> Task:
    """Return the task done, or waiting for its next occurrence.

    One run covers all occurrences that were due when it began.
    """
    done = replace(task, last_error=None)
    return _next_occurrence(done, started, at) or freed(done, at, status=TaskStatus.DONE)


def set_back(
    task: Task, error: str, *, started: datetime, at: datetime, retry_at: datetime | None
) -> Failure:
    """Return the task after a failed attempt: a retry, the next occurrence, or the end."""
    failed = replace(task, last_error=error)
    if retry_at is not None and task.attempts <= task.retries:
        again = freed(failed, at, status=TaskStatus.PENDING, due_at=retry_at)
        return Failure(task=again, then=AfterFailure.RETRY)
    following = _next_occurrence(failed, started, at)
    if following is not None:
        return Failure(task=following, then=AfterFailure.NEXT)
    ended = freed(failed, at, status=TaskStatus.FAILED)
    return Failure(task=ended, then=AfterFailure.FAILED)


def back_off(attempts: int) -> timedelta:
    """Return how long to wait before the next attempt."""
    return min(BACK_OFF * (1 << min(attempts - 1, 11)), MAX_BACK_OFF)


def deferred(task: Task, due: datetime, at: datetime) -> Task:
    """Return the task due at another time. Later occurrences do not move."""
    moved = freed(task, at, status=TaskStatus.PENDING, attempts=0, due_at=due)
    if task.recurrence is not None:
        return moved
    wall = to_wall_time(due, time_zone(task.time_zone)).isoformat()
    return replace(moved, occurrence_at=due, anchor=wall)


def changed(task: Task, changes: TaskChanges, at: datetime) -> Task:
    """Return the task with other details. A new time or recurrence counts from there on."""
    if not changes:
        raise InvalidInputError("no change is given", remedy=f"pass {', '.join(_CHANGEABLE)}")
    if "time_zone" in changes and "due" not in changes:
        raise InvalidInputError(
            "a time zone needs a time", remedy="pass due as well: the time in that zone"
        )
    kept: dict[str, Any] = {name: getattr(task, name) for name in _CHANGEABLE if name != "due"}
    draft = task_draft(**{**kept, "due": task.occurrence_at, **changes}, now=at)
    edited = replace(task, **draft.details, changed_at=at)
    if {"due", "recurrence"}.isdisjoint(changes):
        return edited
    due = draft.schedule.due_at
    return replace(edited, **draft.schedule._asdict(), occurrence_at=due, attempts=0)


_CHANGEABLE = ("description", *DETAILS)


def _next_occurrence(task: Task, started: datetime, at: datetime) -> Task | None:
    """Return the task waiting for the first occurrence after the run began, if there is one."""
    if task.recurrence is None:
        return None
    anchor, zone = datetime.fromisoformat(task.anchor), time_zone(task.time_zone)
    covered = max(started, task.occurrence_at)
    due = occurrence_after(task.recurrence, anchor, zone, covered)
    if due is None:
        return None
    waiting = freed(task, at, status=TaskStatus.PENDING, attempts=0)
    return replace(waiting, due_at=due, occurrence_at=due)


def freed(task: Task, at: datetime, **changes: Any) -> Task:
    """Return the task without its run and lease."""
    return replace(task, run=None, worker=None, lease_until=None, changed_at=at, **changes)
