"""What asking a language model takes: how memory is found again, whom to ask, what it may cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recollect.model.daily_limit import DailyLimit
from recollect.model.policy import Policy
from recollect.pipeline.searching import Searching
from recollect.pipeline.taking_turns import TakingTurns
from recollect.ports import Llm
from recollect.store.access import Access

if TYPE_CHECKING:
    from recollect.model.prices import Prices
    from recollect.pipeline.spending import Purse


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

    def purse(self, access: Access) -> Purse:
        """What may be spent on it, and the ledger of that."""
        # Loaded here: who only stores and looks up spends nothing.
        from recollect.pipeline.spending import Purse

        return Purse(access, self.prices, self.limit)
