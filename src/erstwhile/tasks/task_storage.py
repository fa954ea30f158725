"""A task in the plan: whether it is there already, and what may change of it."""

from __future__ import annotations

from erstwhile.core.errors import ConflictError
from erstwhile.storage.lookup import scope_for_new
from erstwhile.storage.unit import Unit
from erstwhile.tasks import transitions
from erstwhile.tasks.draft import TaskDraft, fingerprint
from erstwhile.tasks.rows import TASKS
from erstwhile.tasks.similar import similar_tasks
from erstwhile.tasks.task import OPEN, Scheduled, Task


def create(unit: Unit, draft: TaskDraft) -> Scheduled:
    new = draft.to_task(scope_for_new(unit.viewer, "plan"), unit.now)
    twin = _twin(unit, new)
    task = twin or TASKS.add(unit, new, "create")
    alike = similar_tasks(unit, task)
    return Scheduled(task=task, existed=twin is not None, similar=alike)


def store(unit: Unit, old: Task, new: Task, action: str, why: str | None = None) -> Task:
    """The next state of a task, if it is a legal one. All changes of tasks come through here."""
    transitions.check(transitions.TASKS, action, old.status, new.status, old.short_id)
    check_room(unit, new)
    return TASKS.change(unit, old, new, action, why)


def check_room(unit: Unit, task: Task) -> None:
    """Of open tasks that are the same in every detail there is one."""
    twin = _twin(unit, task) if task.status in OPEN else None
    if twin is not None:
        raise ConflictError(
            f"{twin.short_id} is open and the same in every detail",
            remedy="cancel or delete that one first",
        )


def _twin(unit: Unit, task: Task) -> Task | None:
    same = {"scope": unit.scope_id(task.scope), "fingerprint": fingerprint(task)}
    found = TASKS.select(unit, "find_open_task", same)
    return next((each for each in found if each.id != task.id), None)
