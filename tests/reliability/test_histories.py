"""Several processes at once: their history is one that could have happened one after the other."""

from __future__ import annotations

import pytest

from tests.reliability.histories import Event, check, run
from tests.reliability.scratch import scratch


def test_processes_at_once_see_one_history() -> None:
    with scratch() as folder:
        found = run(str(folder / "memory.db"), "main", processes=4, operations=60, seed=1)
    assert (found.operations, found.broken) == (240, [])
    assert found.changes > 50


def changed(seen: object, at: str, begin: float, register: str = "block 0") -> Event:
    return Event(register, begin, begin + 1, seen, at)


@pytest.mark.parametrize(
    "events",
    [
        [changed([2, "a"], "1", 0), changed([2, "b"], "2", 0)],
        [changed([3, "a"], "1", 0)],
        [changed([2, "a"], "2", 0), changed([2, "b"], "1", 5)],
        [changed([2, "a"], "1", 0), Event("block 0", 5, 6, [1, "begin"])],
        [Event("block 0", 0, 1, [2, "a"]), changed([2, "a"], "1", 5)],
        [changed(1, "1", 0, "count 0"), changed(1, "2", 3, "count 0")],
        [changed("x", "1", 0, "key 0"), Event("key 0", 3, 4, None)],
    ],
    ids=["lost update", "gap", "order", "stale read", "early read", "lost count", "lost value"],
)
def test_a_history_that_cannot_have_happened_is_seen(events: list[Event]) -> None:
    assert list(check(events))
