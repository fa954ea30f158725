"""The legal transitions of tasks and checkpoints, and the wait before a retry."""

from __future__ import annotations

from datetime import timedelta

import pytest

from erstwhile import ConflictError
from erstwhile.tasks.checkpoints import TRANSITIONS as CHECKPOINT_TRANSITIONS
from erstwhile.tasks.transitions import (
    BACK_OFF,
    MAX_BACK_OFF,
    TASK_TRANSITIONS,
    back_off,
    check_transition,
)
from erstwhile.types import CheckpointStatus, TaskStatus


def test_a_done_or_cancelled_record_never_changes_its_status() -> None:
    for transition in TASK_TRANSITIONS.values():
        assert not {TaskStatus.DONE, TaskStatus.CANCELLED} & set(transition.before)
    for phase in CHECKPOINT_TRANSITIONS.values():
        assert CheckpointStatus.COMPLETED not in phase.before


def test_every_status_can_be_reached() -> None:
    reached = {status for each in TASK_TRANSITIONS.values() for status in each.after}
    assert reached == set(TaskStatus)
    phases = {status for each in CHECKPOINT_TRANSITIONS.values() for status in each.after}
    assert phases == set(CheckpointStatus) - {CheckpointStatus.PENDING}  # where they begin


@pytest.mark.parametrize("verb", TASK_TRANSITIONS)
@pytest.mark.parametrize("old", TaskStatus)
def test_other_transitions_are_refused(verb: str, old: TaskStatus) -> None:
    for new in TaskStatus:
        if old in TASK_TRANSITIONS[verb].before and new in TASK_TRANSITIONS[verb].after:
            check_transition(TASK_TRANSITIONS, verb, old, new, "it")
            continue
        with pytest.raises(ConflictError, match=f"it is {old}"):
            check_transition(TASK_TRANSITIONS, verb, old, new, "it")


def test_each_wait_is_twice_the_one_before_up_to_a_day() -> None:
    waits = [back_off(attempts) for attempts in range(1, 102)]
    assert waits[:4] == [BACK_OFF * factor for factor in (1, 2, 4, 8)]
    assert waits == sorted(waits)
    assert waits[-1] == MAX_BACK_OFF == timedelta(days=1)
