"""Tasks, their runs and checkpoints as people like to read them."""

from __future__ import annotations

import json
from datetime import datetime

from rich.console import RenderableType
from rich.text import Text

from erstwhile.cli.safe_text import safe_line
from erstwhile.cli.views.layout import ROWS, second, view
from erstwhile.cli.views.records import record_view
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
        ("metadata", json.dumps(dict(task.metadata), ensure_ascii=False) if task.metadata else ""),
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


def _task_row(task: Task, _at: datetime | None) -> dict[str, Text]:
    return {
        "id": Text(task.short_id, "dim"),
        "due": Text(second(task.due_at)),
        "status": _status(task.status),
        "task": Text(safe_line(task.description)),
        "recurs": Text(safe_line(task.recurrence or ""), "cyan"),
        "scope": Text(safe_line(str(task.scope)), "dim"),
    }


def _run_row(run: TaskRun, _at: datetime | None) -> dict[str, Text]:
    return {
        "id": Text(short_id(run.id), "dim"),
        "began": Text(second(run.started_at)),
        "ended": Text(second(run.finished_at) if run.finished_at else ""),
        "worker": Text(safe_line(run.worker), "cyan"),
        "status": _status(run.status),
        "told": Text(safe_line(run.result or run.error or "")),
        "tokens": Text("" if run.tokens_used is None else f"{run.tokens_used:,}"),
    }


def _claim_row(claim: Claim, _at: datetime | None) -> dict[str, Text]:
    return {
        "id": Text(claim.task.short_id, "dim"),
        "task": Text(safe_line(claim.task.description)),
        "reply to": Text(safe_line(claim.task.reply_to or "")),
        "until": Text(second(claim.expires_at)),
        "token": Text(claim.token, "bold"),
    }


def _checkpoint_row(checkpoint: Checkpoint, _at: datetime | None) -> dict[str, Text]:
    return {
        "no": Text(f"{checkpoint.position}", "dim"),
        "phase": Text(safe_line(checkpoint.phase), "bold"),
        "status": _status(checkpoint.status),
        "begun": Text(f"{checkpoint.attempts:,} ×" if checkpoint.attempts else ""),
        "output": Text(safe_line(checkpoint.error or checkpoint.output or "")),
    }


def _progress_row(progress: RunProgress, _at: datetime | None) -> dict[str, Text]:
    style = "green" if progress.done else "yellow"
    return {
        "run": Text(safe_line(progress.run), "bold"),
        "completed": Text(f"{progress.completed:,} of {progress.phases:,}", style),
        "changed": Text(second(progress.changed_at)),
        "scope": Text(safe_line(str(progress.scope)), "dim"),
    }


def _status(status: str) -> Text:
    return Text(status, _STYLES.get(status, ""))


ROWS |= {
    Task: _task_row,
    TaskRun: _run_row,
    Claim: _claim_row,
    Checkpoint: _checkpoint_row,
    RunProgress: _progress_row,
}
