"""A task in a worker's hands: taken with a lease, kept by heartbeats, finished with its token.

A worker that dies says nothing: its lease runs out, and then the task is free for another, as one
attempt more. Until another has taken it, the worker may still come back and finish: the work was
done once, and nothing is lost. After that its token is worth nothing.
"""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.core.ids import new_id
from erstwhile.core.ports import Row
from erstwhile.core.text import checked_id
from erstwhile.core.time import Moment, parse_expiry
from erstwhile.storage.erasure import own
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.tasks.rows import TASKS, run_row, run_state, to_run
from erstwhile.tasks.steps import back_off, claimed, completed, released, set_back
from erstwhile.tasks.task import Claim, Failure, RunStatus, Task, TaskRun, TaskStatus
from erstwhile.tasks.task_storage import store

LEASE = "5 minutes"
MAX_LEASE = timedelta(days=7)
_BATCH = 100
"""How many leases that ran out one claim sees to."""


def anything_due(view: View, **of: Any) -> bool:
    """Whether there is something to take, or somebody to see after."""
    now = {"now": view.stamp, "limit": 1}
    due = view.rows("due_tasks", {**now, **of}, own(view), "look")
    return bool(due or view.rows("expired_leases", now, own(view), "look"))


def claim_due(
    unit: Unit, worker: str, limit: int, lease: Moment | timedelta, **of: Any
) -> list[Claim]:
    """Free what was left behind, then take what is due, the longest due first."""
    left = {"now": unit.stamp, "limit": _BATCH}
    for task in TASKS.select(unit, "expired_leases", left, own(unit), "take"):
        expire(unit, task)
    unit.tick()
    wanted = {"now": unit.stamp, "limit": limit, **of}
    due = TASKS.select(unit, "due_tasks", wanted, own(unit), "take")
    return [take(unit, task, worker, lease) for task in due]


def take(unit: Unit, task: Task, worker: str, lease: Moment | timedelta) -> Claim:
    token, until = os.urandom(16).hex(), lease_end(lease, unit.now)
    run = TaskRun(
        id=new_id(unit.now),
        task=task.id,
        scope=task.scope,
        status=RunStatus.RUNNING,
        attempt=task.attempts + 1,
        worker=worker,
        occurrence_at=task.occurrence_at,
        started_at=unit.now,
        finished_at=None,
        result=None,
        error=None,
        tokens_used=None,
    )
    _write(unit, "add_run", "run.start", run, token)
    held = claimed(task, run=run.id, worker=worker, until=until, at=unit.now)
    return Claim(task=store(unit, task, held, "claim"), token=token, expires_at=until)


def heartbeat(unit: Unit, id: str, token: str, lease: Moment | timedelta) -> Claim:
    task, _ = held(unit, id, token)
    until = lease_end(lease, unit.now)
    kept = store(unit, task, replace(task, lease_until=until), "heartbeat")
    return Claim(task=kept, token=token, expires_at=until)


def complete(unit: Unit, id: str, token: str, **told: Any) -> Task:
    """Once. To say it again, because the answer got lost, changes nothing."""
    task, run = _run_of(unit, id, token)
    if run.status is RunStatus.COMPLETED:
        return task
    _check_held(task, run)
    finish(unit, run, token, RunStatus.COMPLETED, **told)
    done = completed(task, started=run.started_at, at=unit.now)
    return store(unit, task, done, "complete")


def fail(unit: Unit, id: str, token: str, error: str, final: bool, **told: Any) -> Failure:
    task, run = held(unit, id, token)
    finish(unit, run, token, RunStatus.FAILED, error=error, **told)
    retry_at = None if final else unit.now + back_off(task.attempts)
    then = set_back(task, error, started=run.started_at, at=unit.now, retry_at=retry_at)
    return replace(then, task=store(unit, task, then.task, "fail"))


def release(unit: Unit, id: str, token: str) -> Task:
    task, run = held(unit, id, token)
    finish(unit, run, token, RunStatus.RELEASED)
    return store(unit, task, released(task, unit.now), "release")


def free(unit: Unit, task: Task) -> Task:
    """The task, if nobody holds it; one whose lease ran out is let go first."""
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
    """The worker was not heard of: that was an attempt, and it may be taken again at once."""
    run, token = current_run(unit, task)
    error = f"nothing was heard of {task.worker} before its lease ran out"
    finish(unit, run, token, RunStatus.EXPIRED, error=error)
    then = set_back(task, error, started=run.started_at, at=unit.now, retry_at=task.due_at)
    return store(unit, task, then.task, "expire")


def held(unit: Unit, id: str, token: str) -> tuple[Task, TaskRun]:
    """The task and the run that this token holds."""
    task, run = _run_of(unit, id, token)
    _check_held(task, run)
    return task, run


def current_run(unit: Unit, task: Task) -> tuple[TaskRun, str]:
    """The run that is under way, and its token."""
    [row] = unit.rows("find_run", {"id": task.run})
    return to_run(row, task.scope), row[-1]


def finish(unit: Unit, run: TaskRun, token: str, status: RunStatus, **told: Any) -> None:
    ended = replace(run, status=status, finished_at=unit.now, **told)
    _write(unit, "finish_run", f"run.{status}", ended, token)


def lease_end(lease: Moment | timedelta, now: datetime) -> datetime:
    until = parse_expiry(lease, now=now, name="lease")
    if not now < until <= now + MAX_LEASE:
        raise InvalidInputError(
            f"a lease ends within {MAX_LEASE.days} days from now, not at {until}",
            remedy="give a duration such as '5 minutes', and renew it with heartbeats",
        )
    return until


def _run_of(unit: Unit, id: str, token: str) -> tuple[Task, TaskRun]:
    task = TASKS.find_own(unit, id)
    shown = {"token": checked_id(token, name="token"), "task": task.id}
    rows: list[Row] = unit.rows("find_run_by_token", shown)
    if not rows:
        raise ConflictError(
            f"this token does not hold {task.short_id}", remedy="use the one that claiming it gave"
        )
    return task, to_run(rows[0], task.scope)


def _check_held(task: Task, run: TaskRun) -> None:
    if task.run != run.id:
        raise ConflictError(
            f"{task.short_id} is no longer held with this token (its run: {run.status})",
            remedy="leave it: what became of it is not this worker's any more",
        )


def _write(unit: Unit, statement: str, action: str, run: TaskRun, token: str) -> None:
    row = run_row(run, unit.scope_id(run.scope), token)
    state = run_state(row)
    unit.run(statement, {**row, "changed_at": unit.stamp})
    unit.record(action, run.id, run.scope, None, state)
