"""Views of tasks, their runs and checkpoints."""

from __future__ import annotations

from datetime import datetime

from rich.console import RenderableType
from rich.text import Text

from erstwhile.cli.views.layout import (
    Row,
    cell,
    json_text,
    record_view,
    row,
    scope_cell,
    second,
    view,
)
from erstwhile.core.ids import short_id
from erstwhile.tasks.checkpoint import Checkpoint, CheckpointStatus, RunProgress
from erstwhile.tasks.task import Claim, RunStatus, Task, TaskRun, TaskStatus

_STYLES: dict[str, str] = {
    TaskStatus.PENDING: "blue", TaskStatus.CLAIMED: "yellow", TaskStatus.DONE: "green",
    TaskStatus.FAILED: "red", TaskStatus.CANCELLED: "magenta",
    RunStatus.RUNNING: "yellow", RunStatus.COMPLETED: "green", RunStatus.EXPIRED: "red",
    RunStatus.RELEASED: "magenta", CheckpointStatus.IN_PROGRESS: "yellow",
}  # fmt: skip


@view.register
def _task_view(task: Task, _at: datetime | None) -> RenderableType:
    held = f"{task.worker} until {second(task.lease_until)}" if task.lease_until else None
    planned = second(task.occurrence_at) if task.occurrence_at != task.due_at else None
    return record_view(
        task,
        task.description,
        ("status", _status(task.status)),
        ("type", task.type),
        ("due", second(task.due_at)),
        ("planned for", planned),
        ("recurs", task.recurrence),
        ("first", f"{task.anchor} {task.time_zone}"),
        ("reply to", task.reply_to),
        ("held by", held),
        ("tried", f"{task.attempts:,} of {task.retries + 1:,}" if task.attempts else None),
        ("last error", task.last_error),
        ("metadata", json_text(task.metadata)),
    )


@view.register
def _checkpoint_view(checkpoint: Checkpoint, _at: datetime | None) -> RenderableType:
    return record_view(
        checkpoint,
        f"{checkpoint.run}: {checkpoint.phase}",
        ("status", _status(checkpoint.status)),
        ("begun", f"{checkpoint.attempts:,} ×"),
        ("output", checkpoint.output),
        ("error", checkpoint.error),
    )


@row.register
def _task_row(task: Task, _at: datetime | None) -> Row:
    return {
        "id": Text(task.short_id, "dim"),
        "due": cell(second(task.due_at)),
        "status": _status(task.status),
        "task": cell(task.description),
        "recurs": cell(task.recurrence or "", "cyan"),
        "scope": scope_cell(task.scope),
    }


@row.register
def _run_row(run: TaskRun, _at: datetime | None) -> Row:
    return {
        "id": Text(short_id(run.id), "dim"),
        "began": cell(second(run.started_at)),
        "ended": cell(second(run.finished_at)),
        "worker": cell(run.worker, "cyan"),
        "status": _status(run.status),
        "result": cell(run.result or run.error or ""),
        "tokens": Text("" if run.tokens_used is None else f"{run.tokens_used:,}"),
    }


@row.register
def _claim_row(claim: Claim, _at: datetime | None) -> Row:
    return {
        "id": Text(claim.task.short_id, "dim"),
        "task": cell(claim.task.description),
        "reply to": cell(claim.task.reply_to or ""),
        "until": cell(second(claim.expires_at)),
        "token": Text(claim.token, "bold"),
    }


@row.register
def _checkpoint_row(checkpoint: Checkpoint, _at: datetime | None) -> Row:
    return {
        "no": Text(f"{checkpoint.position}", "dim"),
        "phase": cell(checkpoint.phase, "bold"),
        "status": _status(checkpoint.status),
        "begun": Text(f"{checkpoint.attempts:,} ×" if checkpoint.attempts else ""),
        "output": cell(checkpoint.error or checkpoint.output or ""),
    }


@row.register
def _progress_row(progress: RunProgress, _at: datetime | None) -> Row:
    style = "green" if progress.done else "yellow"
    return {
        "run": cell(progress.run, "bold"),
        "completed": Text(f"{progress.completed:,} of {progress.phases:,}", style),
        "changed": cell(second(progress.changed_at)),
        "scope": scope_cell(progress.scope),
    }


def _status(status: str) -> Text:
    return Text(status, _STYLES.get(status, ""))
