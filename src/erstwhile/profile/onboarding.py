"""The collection `memory.onboarding`: hints for a new person, stage by stage.

Each stage is given once, in order, when the person has enough facts or tasks for it. The hints are
the sections of `onboarding.md`.
"""

from __future__ import annotations

import re
from collections.abc import Collection as AbstractCollection
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

from erstwhile.core.ids import new_id
from erstwhile.core.kinds import State
from erstwhile.storage.collection import Collection
from erstwhile.storage.lookup import scope_for_new
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View


class OnboardingStage(StrEnum):
    """The stages in their order."""

    WELCOME = "welcome"
    FIRST_FACT = "first_fact"
    THREE_FACTS = "three_facts"
    FIRST_TASK = "first_task"
    FIVE_FACTS = "five_facts"

    @property
    def hint(self) -> str:
        """The text that an agent may show at this stage."""
        return _hints()[self]


class Experience(NamedTuple):
    """How many live facts and tasks a person has in exactly their scope."""

    facts: int
    tasks: int


_NEEDED = {
    OnboardingStage.WELCOME: Experience(facts=0, tasks=0),
    OnboardingStage.FIRST_FACT: Experience(facts=1, tasks=0),
    OnboardingStage.THREE_FACTS: Experience(facts=3, tasks=0),
    OnboardingStage.FIRST_TASK: Experience(facts=0, tasks=1),
    OnboardingStage.FIVE_FACTS: Experience(facts=5, tasks=0),
}


class Onboarding(Collection):
    """The onboarding of a person in exactly this scope: the stages given so far and the next."""

    def next(self) -> OnboardingStage | None:
        """Return the stage that is due now, if any. Each stage is returned once."""

        def give(unit: Unit) -> OnboardingStage | None:
            scope = unit.scope_id(scope_for_new(unit.viewer, "onboard"))
            stage = due_stage(unit)
            if stage is not None:
                id = new_id(unit.now)
                row = {"id": id, "scope": scope, "stage": stage, "reached_at": unit.stamp}
                unit.run("add_stage", row)
                unit.record("onboarding.reach", id, unit.viewer.scope, None, [stage])
            return stage

        # Most calls have no stage to give: they only read.
        is_due = self._access.viewer.everything or self._access.ask(due_stage) is not None
        return self._access.change(give) if is_due else None

    def reached(self) -> tuple[OnboardingStage, ...]:
        """Return the stages that were given, in their order."""
        stages = self._access.ask(_reached)
        return tuple(stage for stage in OnboardingStage if stage in stages)


def due_stage(view: View) -> OnboardingStage | None:
    """Return the stage that `next` would give now. Do not count facts if all stages were given."""
    reached = _reached(view)
    return None if len(reached) == len(OnboardingStage) else next_stage(reached, _experience(view))


def next_stage(
    reached: AbstractCollection[OnboardingStage], experience: Experience
) -> OnboardingStage | None:
    """Return the first stage that was not reached yet, if it is due. No stage is skipped."""
    ahead = next((stage for stage in OnboardingStage if stage not in reached), None)
    if ahead is None:
        return None
    needed = _NEEDED[ahead]
    due = experience.facts >= needed.facts and experience.tasks >= needed.tasks
    return ahead if due else None


def _reached(view: View) -> set[OnboardingStage]:
    return {OnboardingStage(row[0]) for row in view.rows("reached_stages", {}, "own")}


def _experience(view: View) -> Experience:
    kinds = view.rows("tally_facts", {}, State.LIVE, "own")
    [(tasks,)] = view.rows("count_own_tasks", {}, "own")
    return Experience(facts=sum(row[1] for row in kinds), tasks=tasks)


@cache
def _hints() -> dict[OnboardingStage, str]:
    """Read the sections of `onboarding.md`, one for each stage."""
    page = Path(__file__).with_name("onboarding.md").read_text("utf-8")
    _, *parts = re.split(r"^## (\w+)\n", page, flags=re.MULTILINE)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    return {stage: " ".join(sections[stage].split()) for stage in OnboardingStage}
