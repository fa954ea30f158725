"""The spending of Erstwhile itself on language models, for learning and for summaries.

Each call is an entry of the usage collection. These entries have a special session name, so that
the calls of the agent do not count here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from erstwhile.core.scope import SHARED
from erstwhile.core.tokens import Tokens
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit
from erstwhile.usage.collection import Usage, add_entry
from erstwhile.usage.entry import UsageSummary

if TYPE_CHECKING:
    from erstwhile.services import Services

OWN_SESSION = "erstwhile"
"""The session name of these entries."""


@dataclass(frozen=True, slots=True)
class SpendingBudget:
    """The daily limit on language model calls, and the record of each call."""

    access: Access
    services: Services

    def reached_limit(self) -> str:
        """Return which limit is reached today; an empty text if none is."""
        return self.services.daily_limit.reached(spent_today(self.access, self.services))

    def cost_of(self, model: str, tokens: Tokens) -> Decimal | None:
        """Return the cost in dollars, or None if the price is unknown."""
        price = self.services.prices().find(model)
        return None if price is None else price.cost(tokens)

    def record(self, model: str, tokens: Tokens) -> None:
        """Record a call in a transaction of its own."""
        cost = self.cost_of(model, tokens)
        self.access.change(lambda unit: record_call(unit, model, tokens, cost))


def spent_today(access: Access, services: Services) -> UsageSummary:
    """Return the spending since midnight UTC in all scopes."""
    everywhere = replace(access.viewer, scope=SHARED, everything=True)
    return visible_today(access.seen_by(everywhere), services)


def visible_today(access: Access, services: Services) -> UsageSummary:
    """Return the spending since midnight UTC in the scopes that this viewer sees."""
    midnight = access.clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    [spent] = Usage(access, services).summary(session=OWN_SESSION, since=midnight)
    return spent


def record_call(unit: Unit, model: str, tokens: Tokens, cost: Decimal | None) -> None:
    """Record a call inside a transaction that is open already."""
    add_entry(unit, model, tokens, cost, OWN_SESSION)
