"""What all views of one memory share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from recollect.model.daily_limit import DailyLimit
from recollect.model.policy import Policy
from recollect.pipeline.background import BackgroundLearning
from recollect.pipeline.means import Means, no_llm
from recollect.pipeline.searching import Searching
from recollect.pipeline.taking_turns import TakingTurns
from recollect.pipeline.uses import Uses
from recollect.pipeline.worker import Worker
from recollect.ports import Llm, Tokenizers

if TYPE_CHECKING:
    from recollect.model.prices import Prices


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What all views of one memory share."""

    searching: Searching
    uses: Uses
    worker: Worker | None
    tokenizers: Tokenizers
    prices: Callable[[], Prices]
    idle: timedelta
    llm: Callable[[], Llm | None] = no_llm
    """Makes the language model when it is first needed, if there is one."""
    limit: DailyLimit = field(default_factory=DailyLimit)
    policy: Policy = field(default_factory=Policy)
    turns: TakingTurns = field(default_factory=TakingTurns)
    background: BackgroundLearning | None = None

    @property
    def means(self) -> Means:
        """What learning works with."""
        return Means(
            searching=self.searching,
            llm=self.llm,
            prices=self.prices,
            limit=self.limit,
            policy=self.policy,
            turns=self.turns,
        )
