"""The tables of what may follow what, and the pure rules of tasks."""

from __future__ import annotations

from datetime import timedelta

import pytest

from erstwhile import ConflictError
from erstwhile.tasks.steps import BACK_OFF, LONGEST_BACK_OFF, back_off
from erstwhile.tasks.transitions import CHECKPOINTS, TASKS, check
from erstwhile.types import CheckpointStatus, TaskStatus


def test_what_is_done_or_cancelled_stays_so() -> None:
    """Nothing leads away from there (K13, K23)."""
    for step in TASKS.values():
        assert not {TaskStatus.DONE, TaskStatus.CANCELLED} & set(step.before)
    assert not [step for step in CHECKPOINTS.values() if CheckpointStatus.COMPLETED in step.before]


def test_every_status_can_be_reached() -> None:
    reached = {status for step in TASKS.values() for status in step.after}
    assert reached == set(TaskStatus)
    phases = {status for step in CHECKPOINTS.values() for status in step.after}
    assert phases == set(CheckpointStatus) - {CheckpointStatus.PENDING}  # where they begin


@pytest.mark.parametrize("verb", TASKS)
@pytest.mark.parametrize("old", TaskStatus)
def test_what_is_not_in_the_table_is_refused(verb: str, old: TaskStatus) -> None:
    """Saying what is, and what would be needed."""
    for new in TaskStatus:
        if old in TASKS[verb].before and new in TASKS[verb].after:
            check(TASKS, verb, old, new, "it")
            continue
        with pytest.raises(ConflictError, match=f"it is {old}"):
            check(TASKS, verb, old, new, "it")


def test_each_wait_is_twice_the_one_before_up_to_a_day() -> None:
    waits = [back_off(attempts) for attempts in range(1, 102)]
    assert waits[:4] == [BACK_OFF * factor for factor in (1, 2, 4, 8)]
    assert waits == sorted(waits)
    assert waits[-1] == LONGEST_BACK_OFF == timedelta(days=1)
