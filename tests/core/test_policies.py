"""Policies as people write them: the daily limit of learning, and limits of retention."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import erstwhile
from erstwhile import InvalidInputError
from erstwhile.core.policies import DailyLimit, parse_daily_limit, parse_retention
from erstwhile.usage.prices import UsageSummary
from tests.learning.answering_llm import AnsweringLlm


def spent(tokens: int, cost: str | None = None) -> UsageSummary:
    dollars = None if cost is None else Decimal(cost)
    return UsageSummary(
        of=None, calls=1, input=tokens, output=0, cache_read=0, cache_write=0, cost=dollars,
        unpriced=0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("", DailyLimit()),
        ("none", DailyLimit()),
        ("200000 tokens", DailyLimit(tokens=200_000)),
        ("200_000 Tokens", DailyLimit(tokens=200_000)),
        ("1.50 usd", DailyLimit(dollars=Decimal("1.50"))),
        ("0 usd", DailyLimit(dollars=Decimal(0))),
        ("5 tokens, 2 USD", DailyLimit(tokens=5, dollars=Decimal(2))),
        ("2usd,5 tokens", DailyLimit(tokens=5, dollars=Decimal(2))),
    ],
)
def test_a_limit_is_read(text: str, limit: DailyLimit) -> None:
    assert parse_daily_limit(text) == limit


@pytest.mark.parametrize(
    "text",
    [
        "lots",
        "200,000 tokens",
        "1.5 tokens",
        "-1 usd",
        "1 usd, 2 usd",
        "5",
        "usd",
        "1 eur",
        "1e3 usd",
    ],
)
def test_what_is_no_limit_is_refused(text: str) -> None:
    """The error comes when it is set, not when it is needed."""
    with pytest.raises(erstwhile.InvalidInputError, match=r"daily_limit|number of tokens"):
        erstwhile.Settings(daily_limit=text)


@given(st.none() | st.integers(0, 10**9), st.none() | st.decimals(0, 1000, places=2))
def test_a_limit_is_written_as_it_is_read(tokens: int | None, dollars: Decimal | None) -> None:
    limit = DailyLimit(tokens=tokens, dollars=dollars)
    assert parse_daily_limit(str(limit)) == limit


def test_a_limit_is_reached_by_what_was_spent() -> None:
    both = DailyLimit(tokens=100, dollars=Decimal("0.5"))
    assert not both.reached(spent(99, "0.49"))
    assert "100 tokens" in both.reached(spent(100))
    assert "0.5 usd" in both.reached(spent(1, "0.50"))
    assert not DailyLimit().reached(spent(10**9, "1000"))
    assert DailyLimit(tokens=0).reached(spent(0))


def test_money_cannot_be_limited_where_the_price_is_unknown() -> None:
    """The limit would never be reached, so opening fails."""
    settings = erstwhile.Settings(daily_limit="1 usd", embedder="none")
    with pytest.raises(erstwhile.InvalidInputError, match="answering"):
        erstwhile.open(":memory:", settings=settings, llm=AnsweringLlm())
    erstwhile.open(":memory:", settings=settings).close()
    erstwhile.open(":memory:", settings=settings, llm="none").close()
    erstwhile.open(":memory:", settings=settings, llm="openai:gpt-4o-mini").close()


@pytest.mark.parametrize(
    "limit", [None, 1.5, True, -5, b"1 year", {"age": "1 year"}, [None], ["1 year", -5]], ids=repr
)
def test_a_limit_of_another_type_is_refused(limit: Any) -> None:
    with pytest.raises(InvalidInputError, match="retention of messages is not an age"):
        parse_retention({"messages": limit})


def test_two_ages_of_one_kind_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="limits messages twice"):
        parse_retention({"messages": ["1 year", "2 years"]})
