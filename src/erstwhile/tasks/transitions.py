"""What may be done to a task, or to a phase of a run, and what becomes of it: all in one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, NamedTuple, TypeVar

from erstwhile.core.errors import ConflictError
from erstwhile.tasks.checkpoint import CheckpointStatus as Phase
from erstwhile.tasks.task import TaskStatus as Task

Status = TypeVar("Status", Task, Phase)


class Step(NamedTuple, Generic[Status]):
    """From each of these to one of those."""

    before: tuple[Status, ...]
    after: tuple[Status, ...]


TASKS: Mapping[str, Step[Task]] = {
    "claim": Step((Task.PENDING,), (Task.CLAIMED,)),
    "heartbeat": Step((Task.CLAIMED,), (Task.CLAIMED,)),
    # What recurs is pending again: its next occurrence waits.
    "complete": Step((Task.CLAIMED,), (Task.DONE, Task.PENDING)),
    "fail": Step((Task.CLAIMED,), (Task.PENDING, Task.FAILED)),
    "expire": Step((Task.CLAIMED,), (Task.PENDING, Task.FAILED)),
    "release": Step((Task.CLAIMED,), (Task.PENDING,)),
    "update": Step((Task.PENDING,), (Task.PENDING,)),
    # One that failed may be tried once more.
    "defer": Step((Task.PENDING, Task.FAILED), (Task.PENDING,)),
    "cancel": Step((Task.PENDING, Task.CLAIMED, Task.FAILED), (Task.CANCELLED,)),
}

CHECKPOINTS: Mapping[str, Step[Phase]] = {
    # In progress already: who worked on it died, and another attempt begins.
    "start": Step((Phase.PENDING, Phase.IN_PROGRESS, Phase.FAILED), (Phase.IN_PROGRESS,)),
    "save": Step((Phase.IN_PROGRESS,), (Phase.IN_PROGRESS,)),
    "complete": Step((Phase.IN_PROGRESS,), (Phase.COMPLETED,)),
    "fail": Step((Phase.IN_PROGRESS,), (Phase.FAILED,)),
}


def check(
    steps: Mapping[str, Step[Status]], verb: str, old: Status, new: Status, name: str
) -> None:
    """Refuse what is not in the table."""
    step = steps[verb]
    if old not in step.before or new not in step.after:
        needed = " or ".join(step.before)
        raise ConflictError(f"{name} is {old}", remedy=f"`{verb}` is for one that is {needed}")
