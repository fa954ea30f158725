"""Prices of models: the shipped table, overridden by the user's own table.

A price is in dollars for a million tokens. The price of a model that is not in the table is None,
never zero. A model is found by its name, with or without the maker before it ("openai/…") and with
or without the release date after it. The beginning of a name is not enough, because a small model
often has the name of a large one with a word added.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from datetime import date, datetime
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ports import Tokens
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.core.text import checked_label, folded
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


@public_record
class UsageEntry(Record):
    """One call of a model. `cost` is in dollars; None means that the price is unknown."""

    _shown = ("short_id", "model", "input", "output", "cost")
    model: str
    session: str | None
    at: datetime
    input: int
    output: int
    cache_read: int
    cache_write: int
    cost: Decimal | None


@public_record
class UsageSummary(PublicRecord):
    """The sums over a group of calls.

    `cost` adds up the calls with a known price. It is None if no call has one. `unpriced` counts
    the calls without a known price.
    """

    of: str | None = None
    """The day, the model or the session; None for calls outside a session, and for the total."""
    calls: int = 0
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: Decimal | None = None
    unpriced: int = 0


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


_RELEASE = re.compile(r"[-@](?:\d{8}|\d{4}-\d\d-\d\d|latest)$")
SHIPPED = Path(__file__).parent / "prices.toml"


@public_record
class Price(PublicRecord):
    """Dollars for a million tokens. Cache tokens cost the same as input by default."""

    input: Decimal
    output: Decimal
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None
    as_of: date | None = None
    """The day on which the price was looked up."""

    def __post_init__(self) -> None:
        for name in ("input", "output", "cache_read", "cache_write"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, checked_cost(value))
        if self.as_of is not None and not isinstance(self.as_of, date):
            raise InvalidInputError(
                f"as_of is not a date: {self.as_of!r}", remedy="write 2026-06-30"
            )

    def cost(self, tokens: Tokens) -> Decimal:
        """Return the cost of these tokens in dollars."""
        read = self.input if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        by_input = tokens.input * self.input + tokens.cache_read * read + tokens.cache_write * write
        return (by_input + tokens.output * self.output) / 1_000_000


class Prices:
    """Prices by model. A later table overrides an earlier one."""

    def __init__(self, *tables: Mapping[str, Price]) -> None:
        self._prices = {_name(model): price for table in tables for model, price in table.items()}

    def find(self, model: str) -> Price | None:
        name = _name(model)
        names = (name, name.rpartition("/")[2])
        candidates = (*names, *(_RELEASE.sub("", each) for each in names))
        return next((self._prices[each] for each in candidates if each in self._prices), None)


def load_prices(own: str = "") -> Prices:
    """Load the shipped price table, overridden by the prices in the file `own`."""
    return Prices(_shipped(), read_prices(Path(own).expanduser())) if own else Prices(_shipped())


def read_prices(file: Path) -> dict[str, Price]:
    """Read prices from a TOML file with a table for each model."""
    try:
        tables = tomllib.loads(file.read_text("utf-8"), parse_float=Decimal)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInputError(
            f"the prices in {file} cannot be read ({error})",
            remedy="correct the file or the setting",
        ) from None
    return {model: to_price(model, price) for model, price in tables.items()}


def to_price(model: str, price: Price | Mapping[str, Any]) -> Price:
    """Check a price from a caller or a file."""
    if isinstance(price, Price):
        return price
    known = {field.name for field in fields(Price)}
    if not isinstance(price, Mapping) or not {"input", "output"} <= set(price) <= known:
        raise InvalidInputError(
            f"the price of {model!r} is incomplete or has unknown fields: {price!r}",
            remedy="give input and output; cache_read, cache_write and as_of are optional",
        )
    return Price(**price)


@cache
def _shipped() -> dict[str, Price]:
    return read_prices(SHIPPED)


def _name(model: str) -> str:
    return folded(checked_label(model, name="model"))
