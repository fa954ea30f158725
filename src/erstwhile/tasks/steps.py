"""What may happen to a task, as pure functions from one state to the next.

The table of legal transitions has the last word; see `tasks/transitions.py`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from erstwhile.core.errors import InvalidInputError
from erstwhile.tasks.draft import DETAILS, Schedule, TaskChanges, task_draft
from erstwhile.tasks.recurrence import occurrence_after, on_the_wall, time_zone
from erstwhile.tasks.task import AfterFailure, Failure, Task, TaskStatus

BACK_OFF = timedelta(minutes=1)
"""Before the first retry; before each further one twice as long."""
LONGEST_BACK_OFF = timedelta(days=1)


def claimed(task: Task, *, run: str, worker: str, until: datetime, at: datetime) -> Task:
    return replace(
        task,
        status=TaskStatus.CLAIMED,
        attempts=task.attempts + 1,
        run=run,
        worker=worker,
        lease_until=until,
        changed_at=at,
    )


def released(task: Task, at: datetime) -> Task:
    """Given back undone: it does not count as an attempt."""
    return _let_go(task, at, status=TaskStatus.PENDING, attempts=task.attempts - 1)


def completed(task: Task, *, started: datetime, at: datetime) -> Task:
    """Done, or waiting for its next occurrence. One run stands for all that it found due."""
    done = replace(task, last_error=None)
    return _next_occurrence(done, started, at) or _let_go(done, at, status=TaskStatus.DONE)


def set_back(
    task: Task, error: str, *, started: datetime, at: datetime, retry_at: datetime | None
) -> Failure:
    """An attempt failed: try again at a time, or, out of attempts, give this occurrence up."""
    told = replace(task, last_error=error)
    if retry_at is not None and task.attempts <= task.retries:
        again = _let_go(told, at, status=TaskStatus.PENDING, due_at=retry_at)
        return Failure(task=again, then=AfterFailure.RETRY)
    following = _next_occurrence(told, started, at)
    if following is not None:
        return Failure(task=following, then=AfterFailure.NEXT)
    failed = _let_go(told, at, status=TaskStatus.FAILED)
    return Failure(task=failed, then=AfterFailure.FAILED)


def back_off(attempts: int) -> timedelta:
    """How long to wait before the next attempt."""
    return min(BACK_OFF * (1 << min(attempts - 1, 11)), LONGEST_BACK_OFF)


def deferred(task: Task, due: datetime, at: datetime) -> Task:
    """Later, or earlier; also once more, after it failed. What recurs keeps its rhythm."""
    moved = _let_go(task, at, status=TaskStatus.PENDING, attempts=0, due_at=due)
    if task.recurrence is not None:
        return moved
    wall = on_the_wall(due, time_zone(task.time_zone)).isoformat()
    return replace(moved, occurrence_at=due, anchor=wall)


def cancelled(task: Task, at: datetime) -> Task:
    return _let_go(task, at, status=TaskStatus.CANCELLED)


def changed(task: Task, changes: TaskChanges, at: datetime) -> Task:
    """The task with other details. If its time changes, it counts from the new time on."""
    if not changes:
        raise InvalidInputError("say what shall change", remedy=f"pass {', '.join(_CHANGEABLE)}")
    if "time_zone" in changes and "due" not in changes:
        raise InvalidInputError(
            "a time zone alone says nothing", remedy="pass due, too: the time on its clock"
        )
    kept: dict[str, Any] = {name: getattr(task, name) for name in _CHANGEABLE if name != "due"}
    draft = task_draft(**{**kept, "due": task.occurrence_at, **changes}, now=at)
    edited = replace(
        task,
        description=draft.description,
        type=draft.type,
        reply_to=draft.reply_to,
        metadata=draft.metadata,
        retries=draft.retries,
        changed_at=at,
    )
    return _planned(edited, draft.schedule) if {"due", "recurrence"} & changes.keys() else edited


_CHANGEABLE = ("description", *DETAILS)


def _planned(task: Task, schedule: Schedule) -> Task:
    return replace(
        task,
        due_at=schedule.due_at,
        occurrence_at=schedule.due_at,
        anchor=schedule.anchor,
        time_zone=schedule.time_zone,
        recurrence=schedule.recurrence,
        attempts=0,
    )


def _next_occurrence(task: Task, started: datetime, at: datetime) -> Task | None:
    """Waiting for the first occurrence that the run, when it began, could not have stood for."""
    if task.recurrence is None:
        return None
    anchor, zone = datetime.fromisoformat(task.anchor), time_zone(task.time_zone)
    covered = max(started, task.occurrence_at)
    due = occurrence_after(task.recurrence, anchor, zone, covered)
    if due is None:
        return None
    waiting = _let_go(task, at, status=TaskStatus.PENDING, attempts=0)
    return replace(waiting, due_at=due, occurrence_at=due)


def _let_go(task: Task, at: datetime, **changes: Any) -> Task:
    return replace(task, run=None, worker=None, lease_until=None, changed_at=at, **changes)
