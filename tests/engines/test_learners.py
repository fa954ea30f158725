"""Learners in several processes on one file: each turn is learned from exactly once."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path

import pytest

import erstwhile
from erstwhile.learning import progress
from tests.engines.processes import begun_together, together

USERS, TALKS, TURNS, LEARNERS = 3, 4, 5, 4
SAID = {
    f"{user} {talk} {turn}"
    for user in range(USERS)
    for talk in range(TALKS)
    for turn in range(TURNS)
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Create a memory with conversations of three users."""
    settings = erstwhile.Settings(synchronous="NORMAL", embedder="none")
    with erstwhile.open(tmp_path / "memory.db", settings=settings) as memory:
        for text in sorted(SAID):
            user, talk, _ = text.split()
            chats = memory.scoped(user=user).conversations
            chats.add_exchange(text, "noted", channel=talk)
        memory.everything()._access.change(progress.want_all)
    return tmp_path / "memory.db"


def test_each_turn_is_learned_from_by_one_process(file: Path) -> None:
    """However many learn at the same time."""
    printed = together("take_turns", *((file, f"learner {each}", 0, 0) for each in range(LEARNERS)))
    assert Counter(line for lines in printed for line in lines) == Counter(SAID)
    assert learned(file) == Counter(SAID)


def test_learners_that_are_killed_lose_nothing_and_nothing_is_learned_twice(file: Path) -> None:
    """They die (kill -9) while they store: the whole turn is stored, or nothing of it.

    What they held is free when their leases have run out. No test waits for that: the last learners
    have clocks that are ahead.
    """
    for process in begun_together("take_turns", *((file, "dying", 0, 2 + n) for n in range(3))):
        process.communicate(timeout=600)
        assert process.returncode == -signal.SIGKILL
    before = learned(file)
    assert 0 < sum(before.values()) < len(SAID)
    together("take_turns", *((file, f"second {each}", 2, 0) for each in range(LEARNERS)))
    assert learned(file) == Counter(SAID)


def learned(file: Path) -> Counter[str]:
    """Count how often each turn was learned from."""
    with erstwhile.open(file, embedder="none") as memory:
        everything = memory.everything()
        assert everything.audit.verify().ok
        facts = everything.facts.list(limit=1_000, state="any")  # also those of clocks ahead
        return Counter(fact.text.partition(" by ")[0] for fact in facts)
