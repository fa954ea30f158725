"""Tasks and their runs as rows: the one place that knows how each field is stored."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from erstwhile.core.ports import Row
from erstwhile.core.scope import Scope
from erstwhile.core.time import from_micros, to_micros
from erstwhile.search import words
from erstwhile.storage import erasure
from erstwhile.storage.columns import metadata, metadata_text, micros, moment
from erstwhile.storage.table import RecordTable
from erstwhile.storage.unit import Unit
from erstwhile.tasks.draft import fingerprint
from erstwhile.tasks.task import RunStatus, Task, TaskRun, TaskStatus, TaskType

run_state = itemgetter(
    "scope", "task", "token", "status", "attempt", "worker", "occurrence_at", "started_at",
    "finished_at", "result", "error", "tokens_used",
)  # fmt: skip
"""What the audit trail digests of a run, in the order of the statement `stored_runs`."""


class TaskTable(RecordTable[Task]):
    """The table of tasks. The terms of a description are stored, to find similar tasks."""

    noun = "task"
    name = "tasks"
    adding = "add_task"
    changing = "change_task"

    def fields(self, item: Task) -> dict[str, Any]:
        return {
            "description": item.description,
            "type": item.type,
            "status": item.status,
            "due_at": to_micros(item.due_at),
            "occurrence_at": to_micros(item.occurrence_at),
            "anchor": item.anchor,
            "time_zone": item.time_zone,
            "recurrence": item.recurrence,
            "reply_to": item.reply_to,
            "metadata": metadata_text(item.metadata),
            "retries": item.retries,
            "attempts": item.attempts,
            "last_error": item.last_error,
            "run": item.run,
            "worker": item.worker,
            "lease_until": micros(item.lease_until),
        }

    def derived(self, item: Task) -> dict[str, Any]:
        return {
            "fingerprint": fingerprint(item),
            "terms": " ".join(words.query_terms(item.description)),
        }

    def build(self, row: Row, head: dict[str, Any]) -> Task:
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

    def destroy_parts(self, unit: Unit, item: Task) -> int:
        runs = [str(id) for (id,) in unit.rows("runs_of_task", {"task": item.id})]
        unit.run("remove_runs", {"task": item.id})
        return sum(erasure.forget(unit, run, item.scope) for run in runs)


TASKS = TaskTable()


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
