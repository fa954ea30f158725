"""Prices of models: the table that comes with Erstwhile, and a table of the user that overrides it.

A price is in dollars for a million tokens. The price of a model that is not in the table is None,
never zero. A model is found by its name, with or without the maker before it ("openai/…") and with
or without the release date after it. The beginning of a name is not enough, because a small model
often has the name of a large one with a word added.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.text import checked_label, folded
from erstwhile.core.tokens import Tokens
from erstwhile.secrets.masking import masked_repr
from erstwhile.usage.entry import checked_cost

_MILLION = 1_000_000
_RELEASE = re.compile(r"[-@](?:\d{8}|\d{4}-\d\d-\d\d|latest)$")
SHIPPED = Path(__file__).parent / "prices.toml"


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
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
        parts = (
            tokens.input * self.input,
            tokens.output * self.output,
            tokens.cache_read * read,
            tokens.cache_write * write,
        )
        return sum(parts, Decimal(0)) / _MILLION


class Prices:
    """Prices by model. A later table overrides an earlier one."""

    def __init__(self, *tables: Mapping[str, Price]) -> None:
        self._prices = {_name(model): price for table in tables for model, price in table.items()}

    def find(self, model: str) -> Price | None:
        """Return the price of a model, or None if it is unknown."""
        name = _name(model)
        without_maker = name.rpartition("/")[2]
        candidates = (name, without_maker, _undated(name), _undated(without_maker))
        return next((self._prices[each] for each in candidates if each in self._prices), None)


def load_prices(own: str = "") -> Prices:
    """Load the table that comes with Erstwhile; the prices in the file `own` override it."""
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
    """Return a price that a caller or a file gives, checked."""
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


def _undated(name: str) -> str:
    return _RELEASE.sub("", name)
