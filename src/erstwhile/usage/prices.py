"""What models cost: a table that comes with Erstwhile, and prices of your own before it.

Prices are dollars for a million tokens. What is not in the table has no known price: that is None,
never zero. A model is found by its name, with or without its maker before it ("openai/…") and the
date of its release after it; a mere beginning is not enough, since a small model often bears the
name of a large one with a word added.
"""

from __future__ import annotations

import re
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
from erstwhile.usage.entry import checked_cost

_MILLION = 1_000_000
_RELEASE = re.compile(r"[-@](?:\d{8}|\d{4}-\d\d-\d\d|latest)$")
SHIPPED = Path(__file__).parent / "prices.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Dollars for a million tokens. What the cache costs is what input costs, unless said."""

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
            raise InvalidInputError(f"as_of is no date: {self.as_of!r}", remedy="write 2026-06-30")

    def cost(self, tokens: Tokens) -> Decimal:
        """What these tokens cost, in dollars."""
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
    """Prices by model. The later of two tables goes before the earlier."""

    def __init__(self, *tables: Mapping[str, Price]) -> None:
        self._prices = {_name(model): price for table in tables for model, price in table.items()}

    def find(self, model: str) -> Price | None:
        """The price of a model, or None if nobody said it."""
        name = _name(model)
        without_maker = name.rpartition("/")[2]
        candidates = (name, without_maker, _undated(name), _undated(without_maker))
        return next((self._prices[each] for each in candidates if each in self._prices), None)


def load_prices(own: str = "") -> Prices:
    """The table that comes with Erstwhile; those of a file of one's own go before it."""
    return Prices(_shipped(), read_prices(Path(own).expanduser())) if own else Prices(_shipped())


def read_prices(file: Path) -> dict[str, Price]:
    """Prices from a TOML file: a table for each model."""
    # Loaded here: most memories never ask for a price.
    import tomllib

    try:
        tables = tomllib.loads(file.read_text("utf-8"), parse_float=Decimal)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInputError(
            f"the prices in {file} cannot be read ({error})", remedy="mend the file or the setting"
        ) from None
    return {model: to_price(model, said) for model, said in tables.items()}


def to_price(model: str, said: Price | Mapping[str, Any]) -> Price:
    """A price as a caller or a file says it."""
    if isinstance(said, Price):
        return said
    known = {field.name for field in fields(Price)}
    if not isinstance(said, Mapping) or not {"input", "output"} <= set(said) <= known:
        raise InvalidInputError(
            f"the price of {model!r} is not complete, or says too much: {said!r}",
            remedy="give input and output, and if you like cache_read, cache_write and as_of",
        )
    return Price(**said)


@cache
def _shipped() -> dict[str, Price]:
    return read_prices(SHIPPED)


def _name(model: str) -> str:
    return folded(checked_label(model, name="model"))


def _undated(name: str) -> str:
    return _RELEASE.sub("", name)
