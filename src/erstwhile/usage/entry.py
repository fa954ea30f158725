"""What the models that an agent calls consume: tokens, and money where the price is known."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from enum import StrEnum

from erstwhile.core.errors import InvalidInputError
from erstwhile.storage.record import Record

MAX_COST = 1_000_000
"""In dollars, of one call."""

NANO = Decimal("0.000000001")
"""Money is stored in whole nano-dollars, so that sums are exact."""


class UsagePeriod(StrEnum):
    """What a summary of usage is split by."""

    DAY = "day"
    MODEL = "model"
    SESSION = "session"


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageEntry(Record):
    """One call of a model. `cost` is in dollars; None means that nobody knows the price."""

    model: str
    session: str | None
    at: datetime
    input: int
    output: int
    cache_read: int
    cache_write: int
    cost: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageSummary:
    """Sums over some calls.

    `cost` adds up the calls with a known price, and is None if there is none; `unpriced` says how
    many calls are missing from it.
    """

    of: str | None
    """The day, the model or the session; None for calls outside a session, and for all."""
    calls: int
    input: int
    output: int
    cache_read: int
    cache_write: int
    cost: Decimal | None
    unpriced: int


def checked_cost(cost: Decimal | int | str) -> Decimal:
    """Dollars as a caller gives them; a float is refused, since it cannot hold cents exactly."""
    try:
        if isinstance(cost, bool) or not isinstance(cost, Decimal | int | str):
            raise InvalidOperation
        dollars = Decimal(cost)
        if not dollars.is_finite():
            raise InvalidOperation
    except InvalidOperation:
        raise InvalidInputError(
            f"not an amount of money: {cost!r}", remedy='write Decimal("0.0123") or "0.0123"'
        ) from None
    if not 0 <= dollars <= MAX_COST:
        raise InvalidInputError(f"an amount must lie between 0 and {MAX_COST:,}, not {dollars}")
    return dollars


def in_nanos(dollars: Decimal) -> int:
    """The stored form of an amount, rounded to whole nano-dollars."""
    return int((dollars / NANO).to_integral_value(ROUND_HALF_EVEN))


def in_dollars(nanos: int) -> Decimal:
    return (nanos * NANO).normalize() + 0
