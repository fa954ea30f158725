"""Processes that learn at the same time, or are killed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import erstwhile
from erstwhile.testing.clock import FakeClock
from tests.engines.processes import start, together
from tests.learning.answering_llm import AnsweringLlm
from tests.learning.scripts.learn import PLACES

LEARN = "tests.learning.scripts.learn"
THINGS = ("kettle", "bicycle", "telescope")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a memory with three pending turns."""
    file = tmp_path / "memory.db"
    with erstwhile.open(file) as memory:
        for thing in THINGS:
            memory.scoped(user="ana").conversations.add_exchange(f"I own a {thing}.", "Nice.")
    return file


@pytest.fixture
def later(file: Path) -> Iterator[erstwhile.Memory]:
    """Open the same memory after all leases have expired."""
    clock = FakeClock(datetime.now(UTC) + timedelta(minutes=10))
    with erstwhile.open(file, llm=AnsweringLlm(), clock=clock) as memory:
        yield memory.scoped(user="ana")


def check_that_each_was_learned_once(memory: erstwhile.Memory) -> None:
    learned = {fact.text: fact.evidence for fact in memory.facts.list()}
    assert learned == {f"The user owns a {thing}": 1 for thing in THINGS}
    attempts = memory.learning.attempts(outcome="learned")
    assert sorted(attempt.first for attempt in attempts) == [1, 3, 5]
    assert memory.learning.pending() == []
    assert memory.audit.verify().ok


@pytest.mark.parametrize(
    ("place", "turn"), [("asked", 1), ("stored", 1), *((place, 2) for place in PLACES)]
)
def test_a_killed_learner_loses_no_turn_and_learns_none_twice(
    file: Path, later: erstwhile.Memory, place: str, turn: int
) -> None:
    """The next learner takes every turn that was not committed."""
    process = start(LEARN, file, place, turn)
    process.communicate(timeout=300)
    assert process.returncode == -signal.SIGKILL
    done = len(later.learning.attempts())
    assert done == (turn if place == "committed" else turn - 1)
    assert len(later.learn()) == len(THINGS) - done
    check_that_each_was_learned_once(later)


def test_the_lease_of_a_dead_process_must_expire(file: Path, later: erstwhile.Memory) -> None:
    """No other process can know that it is dead."""
    start(LEARN, file, "asked", 1).communicate(timeout=300)
    with erstwhile.open(file, llm=AnsweringLlm()) as now:
        assert now.scoped(user="ana").learn() == []
        [waiting] = now.scoped(user="ana").learning.pending()
        assert waiting.holder
    assert len(later.learn()) == len(THINGS)


def test_processes_that_learn_at_once_share_the_turns(file: Path, later: erstwhile.Memory) -> None:
    """Each turn is learned by exactly one process."""
    made = sum(int(printed) for [printed] in together(LEARN, *[(file, "race", 0)] * 3))
    assert made + len(later.learn()) == len(THINGS)
    check_that_each_was_learned_once(later)
