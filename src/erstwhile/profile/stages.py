"""Onboarding: what somebody new is shown, step by step, as they come to use the memory."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path


class OnboardingStage(StrEnum):
    """The stages, in their order."""

    WELCOME = "welcome"
    FIRST_FACT = "first_fact"
    THREE_FACTS = "three_facts"
    FIRST_TASK = "first_task"
    FIVE_FACTS = "five_facts"

    @property
    def hint(self) -> str:
        """What an agent may say at this stage."""
        return _hints()[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experience:
    """How far somebody has come: live facts and tasks of exactly their scope."""

    facts: int
    tasks: int


_NEEDED = {
    OnboardingStage.WELCOME: Experience(facts=0, tasks=0),
    OnboardingStage.FIRST_FACT: Experience(facts=1, tasks=0),
    OnboardingStage.THREE_FACTS: Experience(facts=3, tasks=0),
    OnboardingStage.FIRST_TASK: Experience(facts=0, tasks=1),
    OnboardingStage.FIVE_FACTS: Experience(facts=5, tasks=0),
}


def next_stage(
    reached: Collection[OnboardingStage], experience: Experience
) -> OnboardingStage | None:
    """The first stage that was not reached yet, if it is due. No stage is skipped."""
    ahead = next((stage for stage in OnboardingStage if stage not in reached), None)
    if ahead is None:
        return None
    needed = _NEEDED[ahead]
    due = experience.facts >= needed.facts and experience.tasks >= needed.tasks
    return ahead if due else None


@cache
def _hints() -> dict[OnboardingStage, str]:
    """The sections of the page beside this module, one for each stage."""
    page = Path(__file__).with_name("stages.md").read_text("utf-8")
    _, *parts = re.split(r"^## (\w+)\n", page, flags=re.MULTILINE)
    named = dict(zip(parts[::2], parts[1::2], strict=True))
    return {stage: " ".join(named[stage].split()) for stage in OnboardingStage}
