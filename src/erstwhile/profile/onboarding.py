"""The collection of onboarding: which stage comes next, each once and in order."""

from __future__ import annotations

from erstwhile.core.ids import new_id
from erstwhile.core.kinds import State
from erstwhile.profile.stages import Experience, OnboardingStage, next_stage
from erstwhile.storage.collection import Collection
from erstwhile.storage.lookup import scope_for_new
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View


class Onboarding(Collection):
    """How far somebody has come in getting to know the memory; for exactly this scope."""

    def next(self) -> OnboardingStage | None:
        """The stage that is due now, if any. It is given once: whoever asks shows its hint."""

        def given(unit: Unit) -> OnboardingStage | None:
            scope = unit.scope_id(scope_for_new(unit.viewer, "be shown round"))
            stage = due(unit)
            if stage is not None:
                id, state = new_id(unit.now), {"scope": scope, "stage": stage}
                unit.run("add_stage", {**state, "id": id, "reached_at": unit.stamp})
                unit.record("onboarding.reach", id, unit.viewer.scope, None, list(state.values()))
            return stage

        # Most calls have nothing to give: they only read.
        anything = self._access.viewer.everything or self._access.ask(due) is not None
        return self._access.change(given) if anything else None

    def reached(self) -> tuple[OnboardingStage, ...]:
        """The stages that were given, in their order."""
        stages = self._access.ask(_reached)
        return tuple(stage for stage in OnboardingStage if stage in stages)


def due(view: View) -> OnboardingStage | None:
    """The stage that would be given now. Whoever was through all of them is not counted for."""
    reached = _reached(view)
    return None if len(reached) == len(OnboardingStage) else next_stage(reached, _experience(view))


def _reached(view: View) -> set[OnboardingStage]:
    return {OnboardingStage(row[0]) for row in view.rows("reached_stages", {}, "own")}


def _experience(view: View) -> Experience:
    kinds = view.rows("tally_facts", {}, State.LIVE, "own")
    [(tasks,)] = view.rows("count_own_tasks", {}, "own")
    return Experience(facts=sum(row[1] for row in kinds), tasks=tasks)
