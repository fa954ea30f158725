"""Which open tasks sound much like another. They are told of, and never merged.

Two tasks sound alike when the shorter of them shares at least half of its terms with the other:
stems of words, pairs of characters in Chinese, without words that say nothing. "Call mom about
dinner" and "call dad about dinner" do, and are two tasks all the same.
"""

from __future__ import annotations

from heapq import nlargest

from erstwhile.storage.unit import Unit
from erstwhile.tasks.rows import TASKS
from erstwhile.tasks.task import SimilarTask, Task

ENOUGH = 0.5
_LOOKED_THROUGH = 1_000
"""So many of the newest open tasks are compared, so that creating one stays quick."""
_TOLD = 5


def similar_tasks(unit: Unit, task: Task) -> tuple[SimilarTask, ...]:
    """The open tasks that sound most like this one, as this viewer sees them."""
    ours = frozenset(str(TASKS.derived(task)["terms"]).split())
    found: list[tuple[float, str]] = []
    for id, terms in unit.rows("open_task_terms", {"limit": _LOOKED_THROUGH}):
        theirs = terms.split()
        shared = len(ours.intersection(theirs))
        if shared and id != task.id:
            found.append((shared / min(len(ours), len(theirs)), id))
    best = nlargest(_TOLD, (each for each in found if each[0] >= ENOUGH))
    return tuple(_told(unit, ours, share, id) for share, id in best)


def _told(unit: Unit, ours: frozenset[str], share: float, id: str) -> SimilarTask:
    task = TASKS.find(unit, id)
    terms = str(TASKS.derived(task)["terms"]).split()
    return SimilarTask(task=task, share=share, terms=tuple(term for term in terms if term in ours))
