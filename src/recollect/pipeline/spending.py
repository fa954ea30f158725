"""What learning spends on language models: noted in the ledger of usage, and summed up from there.

Its calls are marked, so that what the agent itself spends counts for nothing here.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from recollect.model.prices import Prices
from recollect.model.scope import SHARED
from recollect.model.usage import Tokens, UsageSummary
from recollect.store.access import Access
from recollect.store.unit import Unit
from recollect.store.usage import Usage, note

LEDGER = "recollect.learning"
"""The session under which its calls are noted."""


def today(access: Access) -> UsageSummary:
    """What was spent since midnight in UTC, in all scopes."""
    everywhere = replace(access.viewer, scope=SHARED, everything=True)
    return visible_today(access.seen_by(everywhere))


def visible_today(access: Access) -> UsageSummary:
    """The same, as far as this viewer sees it."""
    midnight = access.clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    [spent] = Usage(access, Prices).summary(session=LEDGER, since=midnight)
    return spent


def cost_of(prices: Prices, model: str, tokens: Tokens) -> Decimal | None:
    """In dollars; None if nobody knows the price."""
    price = prices.find(model)
    return None if price is None else price.cost(tokens)


def note_call(unit: Unit, model: str, tokens: Tokens, cost: Decimal | None) -> None:
    """Put a call on the ledger."""
    note(unit, model, tokens, cost, LEDGER)
