"""Usage entries and their sums: tokens, and dollars where the price is known."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from enum import StrEnum

from erstwhile.core.errors import InvalidInputError
from erstwhile.secrets.masking import masked_repr
from erstwhile.storage.record import Record

MAX_COST = 1_000_000
"""The highest cost of one call, in dollars."""

NANO = Decimal("0.000000001")
"""Money is stored in whole nano-dollars, so that sums are exact."""


class UsagePeriod(StrEnum):
    """The groups that a usage summary can be split into."""

    DAY = "day"
    MODEL = "model"
    SESSION = "session"


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class UsageEntry(Record):
    """One call of a model. `cost` is in dollars; None means that the price is unknown."""

    model: str
    session: str | None
    at: datetime
    input: int
    output: int
    cache_read: int
    cache_write: int
    cost: Decimal | None


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class UsageSummary:
    """The sums over a group of calls.

    `cost` adds up the calls with a known price. It is None if no call has one. `unpriced` counts
    the calls without a known price.
    """

    of: str | None
    """The day, the model or the session; None for calls outside a session, and for the total."""
    calls: int
    input: int
    output: int
    cache_read: int
    cache_write: int
    cost: Decimal | None
    unpriced: int


def checked_cost(cost: Decimal | int | str) -> Decimal:
    """Return an amount in dollars. Refuse a float, because it cannot hold cents exactly."""
    try:
        if isinstance(cost, bool) or not isinstance(cost, Decimal | int | str):
            raise InvalidOperation
        dollars = Decimal(cost)
        if not dollars.is_finite():
            raise InvalidOperation
    except InvalidOperation:
        raise InvalidInputError(
            f"{cost!r} is not an amount of money", remedy='write Decimal("0.0123") or "0.0123"'
        ) from None
    if not 0 <= dollars <= MAX_COST:
        raise InvalidInputError(f"an amount must lie between 0 and {MAX_COST:,}, not {dollars}")
    return dollars


def in_nanos(dollars: Decimal) -> int:
    """Return an amount as it is stored: rounded to whole nano-dollars."""
    return int((dollars / NANO).to_integral_value(ROUND_HALF_EVEN))


def in_dollars(nanos: int) -> Decimal:
    """Return a stored amount in dollars."""
    return (nanos * NANO).normalize() + 0
