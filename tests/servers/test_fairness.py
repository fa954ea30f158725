"""One client cannot starve the others: their times under each attack, beside the usual ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bench.fairness import ATTACKS, Comparison, Target, Times, compute, measure_beside, served

MAX_RATIO = 10.0
"""The most times the baseline that the others may wait."""
TRIES = 3
"""Other programs use the same machine: only what is slow every time is slow."""


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Target, Target]]:
    with served(tmp_path_factory.mktemp("served"), facts=1_000, entries=3_000) as found:
        yield found


@pytest.fixture(scope="module")
def usual(targets: tuple[Target, Target]) -> Times:
    return measure_beside(compute, *targets, seconds=1.0)


@pytest.mark.parametrize("name", ATTACKS)
def test_the_others_wait_at_most_ten_times_as_long(
    name: str, targets: tuple[Target, Target], usual: Times
) -> None:
    ratios = list[float]()
    for _ in range(TRIES):
        found = Comparison(usual, measure_beside(ATTACKS[name], *targets, seconds=1.0))
        assert found.under.refused == 0
        ratios.append(found.ratio)
        if ratios[-1] <= MAX_RATIO:
            return
        usual = measure_beside(compute, *targets, seconds=1.0)
    pytest.fail(f"{ratios} times as long")
