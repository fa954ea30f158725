"""What a piece of work costs, and how two costs compare."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of computing, and seconds on the clock."""

    cpu: float
    wall: float

    def each(self, count: int) -> Cost:
        return Cost(self.cpu / count, self.wall / count)


def cost(work: Callable[[], object]) -> Cost:
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return Cost(time.process_time() - cpu, time.perf_counter() - wall)


ROUNDS = 4


def in_turns(ways: Sequence[Callable[[str], object]], asked: Sequence[str]) -> list[list[float]]:
    """CPU milliseconds of each question in each way, the best of some rounds after a first one.

    In turns, so that whatever else the machine does hits all ways.
    """
    rounds = [[[_cpu(way, question) for question in asked] for way in ways] for _ in range(ROUNDS)]
    return [
        [min(costs) for costs in zip(*way, strict=True)] for way in zip(*rounds[1:], strict=True)
    ]


def _cpu(way: Callable[[str], object], question: str) -> float:
    return cost(lambda: way(question)).cpu * 1e3


def typical(costs: Sequence[Cost]) -> Cost:
    """The median of each: one disturbed round does not count."""
    return Cost(median(each.cpu for each in costs), median(each.wall for each in costs))
