"""The next stage of onboarding."""

from __future__ import annotations

import pytest

from erstwhile.profile.collection import Experience, OnboardingStage, next_stage

STAGES = list(OnboardingStage)


@pytest.mark.parametrize(
    ("reached", "facts", "tasks", "expected"),
    [
        (0, 0, 0, "welcome"), (0, 9, 9, "welcome"), (1, 0, 9, None), (1, 1, 0, "first_fact"),
        (2, 2, 9, None), (2, 3, 0, "three_facts"), (3, 9, 0, None), (3, 0, 1, "first_task"),
        (4, 4, 9, None), (4, 5, 0, "five_facts"), (5, 99, 99, None),
    ],
)  # fmt: skip
def test_the_next_stage_is_given_when_it_is_due(
    reached: int, facts: int, tasks: int, expected: str | None
) -> None:
    assert next_stage(STAGES[:reached], Experience(facts=facts, tasks=tasks)) == expected


def test_a_gap_is_filled_first() -> None:
    there = {OnboardingStage.THREE_FACTS, OnboardingStage.WELCOME}
    assert next_stage(there, Experience(facts=9, tasks=9)) is OnboardingStage.FIRST_FACT
