"""Measure the time of work, and compare times."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of CPU time, and seconds of wall time."""

    cpu: float
    wall: float

    def each(self, count: int) -> Cost:
        return Cost(self.cpu / count, self.wall / count)


def cost(work: Callable[[], object]) -> Cost:
    """Return the time of a call."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return Cost(time.process_time() - cpu, time.perf_counter() - wall)


ROUNDS = 4


def in_turns(
    ways: Sequence[Callable[[str], object]], questions: Sequence[str]
) -> list[list[float]]:
    """Return CPU milliseconds of each question in each way: the best round after a first one.

    The ways alternate, so that other work on the machine affects all of them.
    """
    rounds = [
        [[_cpu(way, question) for question in questions] for way in ways] for _ in range(ROUNDS)
    ]
    return [
        [min(costs) for costs in zip(*way, strict=True)] for way in zip(*rounds[1:], strict=True)
    ]


def _cpu(way: Callable[[str], object], question: str) -> float:
    return cost(lambda: way(question)).cpu * 1e3


def typical(costs: Sequence[Cost]) -> Cost:
    """Return the medians, so that one disturbed round does not count."""
    return Cost(median(each.cpu for each in costs), median(each.wall for each in costs))
