"""The table of tasks and their runs: store and deduplicate tasks, and find similar ones.

Two tasks are similar if the shorter one shares at least half of its terms with the other. Terms are
stems of words, or pairs of characters in Chinese, without stop words. "Call mom about dinner" and
"call dad about dinner" are similar. Similar tasks are reported, never merged. The same task, due a
little earlier or later because its time counts from now, is the same one.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from heapq import nlargest
from operator import itemgetter
from typing import Any

from erstwhile.core.errors import ConflictError
from erstwhile.core.time import to_micros
from erstwhile.search.terms import query_terms
from erstwhile.storage import erasure
from erstwhile.storage.columns import RowType
from erstwhile.storage.table import RecordTable, new_head
from erstwhile.storage.unit import Unit
from erstwhile.tasks.draft import TaskDraft, fingerprint
from erstwhile.tasks.task import OPEN, Scheduled, SimilarTask, Task, TaskRun
from erstwhile.tasks.transitions import TASK_TRANSITIONS, check_transition

MIN_SHARED_TERMS = 0.5
"""The lowest share of common terms of two similar tasks."""
_MAX_COMPARED = 1_000
"""Only the newest open tasks are compared, so that adding a task stays quick."""
_MAX_SIMILAR = 5

RUNS = RowType(TaskRun, "run of a task", without=("scope",))
"""The fragment `run_columns`. A run has the scope of its task."""
run_state = itemgetter(
    "task", "token", "status", "attempt", "worker", "occurrence_at", "started_at",
    "finished_at", "result", "error", "tokens_used",
)  # fmt: skip
"""The columns of a run in the audit digest, in the order of the statement `stored_runs`."""


class TaskTable(RecordTable[Task]):
    """The table of tasks. The terms of a description are stored, to find similar tasks."""

    noun = "task"
    name = "tasks"
    row_type = RowType(Task, "task")

    def derived(self, item: Task) -> dict[str, Any]:
        return {
            "fingerprint": fingerprint(item),
            "terms": " ".join(query_terms(item.description)),
        }

    def destroy_parts(self, unit: Unit, item: Task) -> int:
        runs = [str(id) for (id,) in unit.rows("runs_of_task", {"task": item.id})]
        unit.run("remove_runs", {"task": item.id})
        return sum(erasure.forget(unit, run, item.scope) for run in runs)


TASKS = TaskTable()


def add(unit: Unit, draft: TaskDraft) -> Scheduled:
    """Add a task, or return the open one with the same details."""
    planned = draft.schedule
    new = Task(
        **new_head(unit, "plan"),
        **draft.details,
        **planned._asdict(),
        occurrence_at=planned.due_at,
    )
    duplicate = _find_duplicate(unit, new) or _find_nearly_due(unit, new, draft.tolerance)
    task = duplicate or TASKS.add(unit, new, "add")
    return Scheduled(task=task, existed=duplicate is not None, similar=_similar_tasks(unit, task))


def change(unit: Unit, old: Task, new: Task, action: str, reason: str | None = None) -> Task:
    """Store the next state of a task, if the transition is legal. All changes use this method."""
    check_transition(TASK_TRANSITIONS, action, old.status, new.status, old.short_id)
    check_no_duplicate(unit, new)
    return TASKS.change(unit, old, new, action, reason)


def check_no_duplicate(unit: Unit, task: Task) -> None:
    """Raise ConflictError if another open task has the same details."""
    duplicate = _find_duplicate(unit, task) if task.status in OPEN else None
    if duplicate is not None:
        raise ConflictError(
            f"{duplicate.short_id} is open and has the same details",
            remedy="cancel or delete that task first",
        )


def _find_duplicate(unit: Unit, task: Task) -> Task | None:
    same = {"scope": unit.scope_id(task.scope), "fingerprint": fingerprint(task)}
    found = TASKS.select(unit, "find_open_task", same)
    return next((each for each in found if each.id != task.id), None)


def _find_nearly_due(unit: Unit, task: Task, tolerance: timedelta) -> Task | None:
    """Return the waiting task with the same details that is due at nearly the same time."""
    if not tolerance:
        return None
    period = {
        "scope": unit.scope_id(task.scope),
        "first": to_micros(task.due_at - tolerance),
        "last": to_micros(task.due_at + tolerance),
    }
    for each in TASKS.select(unit, "pending_tasks_between", period):
        if fingerprint(replace(each, occurrence_at=task.occurrence_at)) == fingerprint(task):
            return each
    return None


def _similar_tasks(unit: Unit, task: Task) -> tuple[SimilarTask, ...]:
    """Return the visible open tasks that are most similar to this one."""
    terms = frozenset(query_terms(task.description))
    found: list[tuple[float, str]] = []
    for id, their_terms in unit.rows("open_task_terms", {"limit": _MAX_COMPARED}):
        theirs = their_terms.split()
        shared = len(terms.intersection(theirs))
        if shared and id != task.id:
            found.append((shared / min(len(terms), len(theirs)), id))
    best = nlargest(_MAX_SIMILAR, (each for each in found if each[0] >= MIN_SHARED_TERMS))
    similar = list[SimilarTask]()
    for share, id in best:
        other = TASKS.find(unit, id)
        shared_terms = tuple(each for each in query_terms(other.description) if each in terms)
        similar.append(SimilarTask(task=other, share=share, terms=shared_terms))
    return tuple(similar)
