"""Among five thousand decisions those of one goal are found exactly."""

from __future__ import annotations

import random

from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import embedding_memory
from tests.contracts.decisions.precedents import asked, commands, nearest_commands
from tests.contracts.decisions.recording import decided

GOALS = 20
MANY = 5_000


def test_recall_in_a_goal_is_exact_among_five_thousand() -> None:
    """Compared with a scan of every vector of the goal."""
    chance = random.Random(3)
    words = [f"word{number}" for number in range(200)]
    engine = SqliteEngine(":memory:")
    memory = embedding_memory(engine, FakeClock(), HashingEmbedder())
    stored: list[list[str]] = [[] for _ in range(GOALS)]
    for number in range(MANY):
        command, goal = " ".join(chance.choices(words, k=5)), number % GOALS
        memory.decisions.record(decided(command, goal=f"goal {goal}"))
        stored[goal].append(command)
    assert memory.flush().texts == 0
    for goal in range(0, GOALS, 4):
        command = " ".join(chance.choices(words, k=5))
        hits = memory.decisions.recall(asked(command, f"goal {goal}"), 5, floor=0)
        assert {hit.found_by for hit in hits} == {"meaning"}
        assert commands(hits) == nearest_commands(command, stored[goal], 5)
    everything = [command for goal in stored for command in goal]
    asked_for = " ".join(chance.choices(words, k=5))
    hits = memory.decisions.recall(asked(asked_for), 4_097, namespace="global", floor=0)
    assert len(hits) == 4_097
    best = nearest_commands(asked_for, everything, 5)
    assert set(commands(hits[:5])) == set(best)
    engine.close()
