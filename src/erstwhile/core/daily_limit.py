"""The daily limit on the spending of Erstwhile for language models."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from erstwhile.core.errors import InvalidInputError

if TYPE_CHECKING:
    from decimal import Decimal

    from erstwhile.usage.entry import UsageSummary

NO_LIMIT = "none"
_PART = re.compile(r"(\d[\d_]*(?:\.\d+)?)\s*(tokens?|usd)", re.IGNORECASE)
_ACCEPTED = f"write '200000 tokens', '1.50 usd', '200000 tokens, 1.50 usd' or {NO_LIMIT!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyLimit:
    """The limit for the calls of a day; None means unlimited."""

    tokens: int | None = None
    dollars: Decimal | None = None

    def reached(self, spent: UsageSummary) -> str:
        """Return which limit today's spending has reached; empty if none."""
        if self.tokens is not None and tokens_of(spent) >= self.tokens:
            return f"today's limit of {self.tokens:,} tokens is reached"
        if self.dollars is not None and (spent.cost or 0) >= self.dollars:
            return f"today's limit of {self.dollars} usd is reached"
        return ""

    def __str__(self) -> str:
        tokens = [] if self.tokens is None else [f"{self.tokens} tokens"]
        dollars = [] if self.dollars is None else [f"{self.dollars} usd"]
        return ", ".join(tokens + dollars) or NO_LIMIT


def tokens_of(spent: UsageSummary) -> int:
    """Return the number of all tokens that were read or written, cached or not."""
    return spent.input + spent.output + spent.cache_read + spent.cache_write


def parse_daily_limit(text: str) -> DailyLimit:
    """Parse a limit in tokens, in dollars, or in both with a comma between them."""
    if not isinstance(text, str):
        raise InvalidInputError(f"daily_limit is not a text: {text!r}", remedy=_ACCEPTED)
    if text.strip().lower() in ("", NO_LIMIT):
        return DailyLimit()
    limits: dict[str, str] = {}
    for part in text.split(","):
        unit, amount = _limit(part.strip(), text)
        if unit in limits:
            raise InvalidInputError(f"daily_limit names {unit} twice: {text!r}", remedy=_ACCEPTED)
        limits[unit] = amount
    return DailyLimit(tokens=_tokens(limits.get("tokens")), dollars=_dollars(limits.get("usd")))


def _limit(part: str, text: str) -> tuple[str, str]:
    found = _PART.fullmatch(part)
    if found is None:
        raise InvalidInputError(f"daily_limit is not understood: {text!r}", remedy=_ACCEPTED)
    return ("usd" if found[2].lower() == "usd" else "tokens"), found[1].replace("_", "")


def _tokens(amount: str | None) -> int | None:
    if amount is None:
        return None
    whole, _, rest = amount.partition(".")
    if rest.strip("0"):
        raise InvalidInputError(f"the number of tokens must be whole: {amount!r}", remedy=_ACCEPTED)
    return int(whole)


def _dollars(amount: str | None) -> Decimal | None:
    if amount is None:
        return None
    # Imported here: few limits are in money.
    from decimal import Decimal

    return Decimal(amount)
