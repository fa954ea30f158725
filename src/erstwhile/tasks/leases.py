"""Leases: a worker claims a task, keeps it by heartbeats, and finishes it with its token.

The lease of a worker that died ends, which counts as an attempt. Then another worker may claim the
task. Until another worker claims it, the first worker can still finish it.
Afterwards its token is no longer valid.
"""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.core.ids import new_id
from erstwhile.core.text import checked_id
from erstwhile.core.time import Moment, parse_expiry
from erstwhile.storage.erasure import own
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.tasks.table import RUNS, TASKS, change, run_state
from erstwhile.tasks.task import Claim, RunStatus, Task, TaskRun, TaskStatus
from erstwhile.tasks.transitions import freed, set_back

LEASE = "5 minutes"
MAX_LEASE = timedelta(days=7)
_BATCH = 100
"""The number of ended leases that one claim cleans up."""


def anything_due(view: View, **filters: Any) -> bool:
    """Return whether a task is due, or a lease has ended."""
    now = {"now": view.stamp, "limit": 1}
    due = view.rows("due_tasks", {**now, **filters}, own(view), "look")
    return bool(due or view.rows("expired_leases", now, own(view), "look"))


def claim_due(
    unit: Unit, worker: str, limit: int, lease: Moment | timedelta, **filters: Any
) -> list[Claim]:
    """Release tasks whose lease has ended, then claim due tasks, the longest due first."""
    ended = {"now": unit.stamp, "limit": _BATCH}
    for task in TASKS.select(unit, "expired_leases", ended, own(unit), "take"):
        expire(unit, task)
    unit.tick()
    query = {"now": unit.stamp, "limit": limit, **filters}
    due = TASKS.select(unit, "due_tasks", query, own(unit), "take")
    return [take(unit, task, worker, lease) for task in due]


def take(unit: Unit, task: Task, worker: str, lease: Moment | timedelta) -> Claim:
    token, until = os.urandom(16).hex(), lease_end(lease, unit.now)
    run = TaskRun(
        id=new_id(unit.now),
        task=task.id,
        scope=task.scope,
        attempt=task.attempts + 1,
        worker=worker,
        occurrence_at=task.occurrence_at,
        started_at=unit.now,
    )
    _write_run(unit, "add_run", "run.start", run, token)
    held = replace(
        task,
        status=TaskStatus.CLAIMED,
        attempts=run.attempt,
        run=run.id,
        worker=worker,
        lease_until=until,
        changed_at=unit.now,
    )
    return Claim(task=change(unit, task, held, "claim"), token=token, expires_at=until)


def release(unit: Unit, id: str, token: str) -> Task:
    """Give a task back without finishing it. The run does not count as an attempt."""
    task, run = held(unit, id, token)
    finish(unit, run, token, RunStatus.RELEASED)
    waiting = freed(task, unit.now, status=TaskStatus.PENDING, attempts=task.attempts - 1)
    return change(unit, task, waiting, "release")


def without_worker(unit: Unit, task: Task) -> Task:
    """Return the task without a worker, expiring an ended lease.

    Raise ConflictError if a worker holds the task.
    """
    if task.status is not TaskStatus.CLAIMED:
        return task
    if task.is_held(unit.now):
        raise ConflictError(
            f"{task.short_id} is held by {task.worker} until {task.lease_until}",
            remedy="wait until it is finished, or cancel it",
        )
    freed = expire(unit, task)
    unit.tick()
    return freed


def expire(unit: Unit, task: Task) -> Task:
    """End the run of a worker whose lease has ended. The task can be claimed again at once."""
    run, token = current_run(unit, task)
    error = f"the lease of {task.worker} ran out"
    finish(unit, run, token, RunStatus.EXPIRED, error=error)
    then = set_back(task, error, started=run.started_at, at=unit.now, retry_at=task.due_at)
    return change(unit, task, then.task, "expire")


def held(unit: Unit, id: str, token: str) -> tuple[Task, TaskRun]:
    """Return the task and the run of a token that is still valid."""
    task, run = run_of(unit, id, token)
    check_held(task, run)
    return task, run


def check_held(task: Task, run: TaskRun) -> None:
    """Raise ConflictError if the run no longer holds the task."""
    if task.run != run.id:
        raise ConflictError(
            f"{task.short_id} is no longer held with this token (its run: {run.status})",
            remedy="stop working on it: the task no longer belongs to this worker",
        )


def current_run(unit: Unit, task: Task) -> tuple[TaskRun, str]:
    """Return the run in progress and its token."""
    [row] = unit.rows("find_run", {"id": task.run})
    return RUNS.decode(row, scope=task.scope), row[-1]


def finish(unit: Unit, run: TaskRun, token: str, status: RunStatus, **result: Any) -> None:
    """End a run with this status."""
    ended = replace(run, status=status, finished_at=unit.now, **result)
    _write_run(unit, "finish_run", f"run.{status}", ended, token)


def lease_end(lease: Moment | timedelta, now: datetime) -> datetime:
    """Return the end of a lease that begins now."""
    until = parse_expiry(lease, now=now, name="lease")
    if not now < until <= now + MAX_LEASE:
        raise InvalidInputError(
            f"a lease must end within {MAX_LEASE.days} days from now, not at {until}",
            remedy="give a duration such as '5 minutes', and renew it with heartbeats",
        )
    return until


def run_of(unit: Unit, id: str, token: str) -> tuple[Task, TaskRun]:
    """Return the task and the run of a token, which may have ended."""
    task = TASKS.find_own(unit, id)
    held_by = {"token": checked_id(token, name="token"), "task": task.id}
    rows = unit.rows("find_run_by_token", held_by)
    if not rows:
        raise ConflictError(
            f"this token does not hold {task.short_id}", remedy="use the token of the claim"
        )
    return task, RUNS.decode(rows[0], scope=task.scope)


def _write_run(unit: Unit, statement: str, action: str, run: TaskRun, token: str) -> None:
    scope = unit.scope_id(run.scope)
    row = RUNS.encode(run, scope=scope, token=token, changed_at=unit.stamp)
    unit.run(statement, row)
    unit.record(action, run.id, run.scope, None, run_state(row))
