"""What the models that an agent calls consume: tokens, and money where the price is known."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from enum import StrEnum

from recollect.model.errors import InvalidInputError
from recollect.model.record import Record

MAX_TOKENS = 100_000_000
"""Of one sort in one call: more than any model reads or writes, and sums stay exact."""
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
class Tokens:
    """Counts that do not overlap: `input` is what was neither read from a cache nor put there."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, more: Tokens) -> Tokens:
        return Tokens(
            input=self.input + more.input,
            output=self.output + more.output,
            cache_read=self.cache_read + more.cache_read,
            cache_write=self.cache_write + more.cache_write,
        )

    def __post_init__(self) -> None:
        for name in ("input", "output", "cache_read", "cache_write"):
            count = getattr(self, name)
            if isinstance(count, bool) or not isinstance(count, int) or count < 0:
                raise InvalidInputError(f"{name} is no number of tokens: {count!r}")
            if count > MAX_TOKENS:
                raise InvalidInputError(
                    f"{name} has {count:,} tokens, {MAX_TOKENS:,} are allowed for one call",
                    remedy="record each call by itself",
                )


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
