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


def typical(costs: Sequence[Cost]) -> Cost:
    """The median of each: one disturbed round does not count."""
    return Cost(median(each.cpu for each in costs), median(each.wall for each in costs))
