"""What learning works with: how it finds things again, whom it asks, and what it may spend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recollect.model.daily_limit import DailyLimit
from recollect.model.policy import Policy
from recollect.pipeline.searching import Searching
from recollect.pipeline.taking_turns import TakingTurns
from recollect.ports import Llm

if TYPE_CHECKING:
    from recollect.model.prices import Prices


def no_llm() -> None:
    """In the place of what makes a language model, where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """Shared by all that learn in one process."""

    searching: Searching
    llm: Callable[[], Llm | None]
    """Makes the language model when it is first needed, if there is one."""
    prices: Callable[[], Prices]
    limit: DailyLimit = field(default_factory=DailyLimit)
    policy: Policy = field(default_factory=Policy)
    turns: TakingTurns = field(default_factory=TakingTurns)

    @property
    def with_model(self) -> bool:
        """Whether there is a model, which is not made for this question."""
        return self.llm is not no_llm
