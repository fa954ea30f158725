"""Tasks and their runs as rows: the one place that knows how each field is stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from erstwhile.core.ports import Row
from erstwhile.core.scope import Scope
from erstwhile.core.time import from_micros, to_micros
from erstwhile.storage.columns import metadata, metadata_text, micros, moment
from erstwhile.storage.record_table import Table
from erstwhile.storage.unit import Unit
from erstwhile.tasks.draft import fingerprint
from erstwhile.tasks.task import RunStatus, Task, TaskRun, TaskStatus, TaskType

run_state = itemgetter(
    "scope", "task", "token", "status", "attempt", "worker", "occurrence_at", "started_at",
    "finished_at", "result", "error", "tokens_used",
)  # fmt: skip
"""What the audit trail digests of a run, in the order of the statement `stored_runs`."""


def task_table(
    telling_terms: Callable[[str], Sequence[str]], destroy_runs: Callable[[Unit, Task], int]
) -> Table[Task]:
    """How tasks are stored; what they are about is kept as the terms that tell something."""
    return Table[Task](
        noun="task",
        name="tasks",
        adding="add_task",
        changing="change_task",
        fields=_fields,
        derived=lambda task: {
            "fingerprint": fingerprint(task),
            "terms": " ".join(telling_terms(task.description)),
        },
        read=_task,
        destroy_parts=destroy_runs,
    )


def _fields(task: Task) -> dict[str, Any]:
    return {
        "description": task.description,
        "type": task.type,
        "status": task.status,
        "due_at": to_micros(task.due_at),
        "occurrence_at": to_micros(task.occurrence_at),
        "anchor": task.anchor,
        "time_zone": task.time_zone,
        "recurrence": task.recurrence,
        "reply_to": task.reply_to,
        "metadata": metadata_text(task.metadata),
        "retries": task.retries,
        "attempts": task.attempts,
        "last_error": task.last_error,
        "run": task.run,
        "worker": task.worker,
        "lease_until": micros(task.lease_until),
    }


def _task(row: Row, head: dict[str, Any]) -> Task:
    return Task(
        description=row[0],
        type=TaskType(row[1]),
        status=TaskStatus(row[2]),
        due_at=from_micros(row[3]),
        occurrence_at=from_micros(row[4]),
        anchor=row[5],
        time_zone=row[6],
        recurrence=row[7],
        reply_to=row[8],
        metadata=metadata(row[9]),
        retries=row[10],
        attempts=row[11],
        last_error=row[12],
        run=row[13],
        worker=row[14],
        lease_until=moment(row[15]),
        **head,
    )


def run_row(run: TaskRun, scope: int, token: str) -> dict[str, Any]:
    """The run as parameters of the statements `add_run` and `finish_run`."""
    return {
        "id": run.id,
        "scope": scope,
        "task": run.task,
        "token": token,
        "status": run.status,
        "attempt": run.attempt,
        "worker": run.worker,
        "occurrence_at": to_micros(run.occurrence_at),
        "started_at": to_micros(run.started_at),
        "finished_at": micros(run.finished_at),
        "result": run.result,
        "error": run.error,
        "tokens_used": run.tokens_used,
    }


def to_run(row: Row, scope: Scope) -> TaskRun:
    """A row of the fragment `run_columns` as a run of a task in that scope."""
    return TaskRun(
        id=row[0],
        task=row[1],
        scope=scope,
        status=RunStatus(row[2]),
        attempt=row[3],
        worker=row[4],
        occurrence_at=from_micros(row[5]),
        started_at=from_micros(row[6]),
        finished_at=moment(row[7]),
        result=row[8],
        error=row[9],
        tokens_used=row[10],
    )
