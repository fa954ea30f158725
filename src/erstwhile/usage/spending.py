"""What Erstwhile itself spends on language models, for learning and for summaries.

It is noted in the ledger of usage, and summed up from there. Its calls are marked, so that what the
agent itself spends counts for nothing here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from erstwhile.core.scope import SHARED
from erstwhile.core.tokens import Tokens
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit
from erstwhile.usage.collection import Usage, note
from erstwhile.usage.entry import UsageSummary

if TYPE_CHECKING:
    from erstwhile.services import Services

LEDGER = "erstwhile"
"""The session under which its calls are noted."""


@dataclass(frozen=True, slots=True)
class Purse:
    """What may be spent in a day, and the ledger of it."""

    access: Access
    services: Services

    def closed(self) -> str:
        """Which limit is reached today; empty if none is."""
        return self.services.daily_limit.reached(today(self.access, self.services))

    def cost_of(self, model: str, tokens: Tokens) -> Decimal | None:
        """In dollars; None if nobody knows the price."""
        price = self.services.prices().find(model)
        return None if price is None else price.cost(tokens)

    def note(self, model: str, tokens: Tokens) -> None:
        """Put a call on the ledger that led to no other change."""
        cost = self.cost_of(model, tokens)
        self.access.change(lambda unit: note_call(unit, model, tokens, cost))


def today(access: Access, services: Services) -> UsageSummary:
    """What was spent since midnight in UTC, in all scopes."""
    everywhere = replace(access.viewer, scope=SHARED, everything=True)
    return visible_today(access.seen_by(everywhere), services)


def visible_today(access: Access, services: Services) -> UsageSummary:
    """The same, as far as this viewer sees it."""
    midnight = access.clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    [spent] = Usage(access, services).summary(session=LEDGER, since=midnight)
    return spent


def note_call(unit: Unit, model: str, tokens: Tokens, cost: Decimal | None) -> None:
    """Put a call on the ledger."""
    note(unit, model, tokens, cost, LEDGER)
