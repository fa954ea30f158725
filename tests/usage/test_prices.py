"""Prices of models, and models without a known price."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

import erstwhile
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ports import Tokens
from erstwhile.usage.prices import (
    SHIPPED,
    Price,
    Prices,
    checked_cost,
    in_dollars,
    in_nanos,
    load_prices,
    read_prices,
)

ONE = Price(input=Decimal(1), output=Decimal(2))


def test_every_price_that_comes_with_erstwhile_is_dated_and_plausible() -> None:
    prices = read_prices(SHIPPED)
    assert len(prices) > 20
    for model, price in prices.items():
        assert isinstance(price.as_of, date), model
        assert price.cache_read is None or price.cache_read <= price.input, model
        assert price.output == 0 or price.output >= price.input, model


def test_the_cache_costs_the_same_as_input_by_default() -> None:
    tokens = Tokens(input=1, output=10, cache_read=100, cache_write=1_000)
    assert ONE.cost(tokens) * 1_000_000 == 1 + 20 + 100 + 1_000
    dear = Price(input=1, output=2, cache_read=0, cache_write="1.25")  # type: ignore[arg-type]
    assert dear.cost(tokens) * 1_000_000 == 1 + 20 + 1_250


@pytest.mark.parametrize(
    "name",
    ["gpt-5", "GPT-5", " gpt-5 ", "openai/gpt-5", "gpt-5-2025-08-07", "gpt-5-20250807",
     "openrouter/openai/gpt-5-2025-08-07", "gpt-5@20250807", "gpt-5-latest"],
)  # fmt: skip
def test_a_model_is_known_by_its_name_maker_and_release(name: str) -> None:
    assert Prices({"gpt-5": ONE}).find(name) == ONE


@pytest.mark.parametrize(
    "name", ["gpt-5-mini", "gpt-5x", "gpt", "my-gpt-5", "gpt-5/tuned", "gpt-5-1"]
)
def test_a_similar_name_is_not_enough(name: str) -> None:
    assert Prices({"gpt-5": ONE}).find(name) is None


def test_the_exact_name_goes_before_the_release() -> None:
    dated = Price(input=Decimal(9), output=Decimal(9))
    prices = Prices({"gpt-5": ONE, "gpt-5-2025-08-07": dated})
    assert prices.find("gpt-5-2025-08-07") == dated
    assert prices.find("gpt-5-2026-01-01") == ONE


def test_own_prices_override_the_table(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('[gpt-4o]\ninput = 0.1\noutput = "0.2"\n["my/model"]\ninput = 1\noutput = 1\n')
    prices = load_prices(str(file))
    own = prices.find("gpt-4o-2024-08-06")
    assert own is not None
    assert (own.input, own.output, own.as_of) == (Decimal("0.1"), Decimal("0.2"), None)
    assert prices.find("my/model") is not None
    assert prices.find("claude-sonnet-4-5") is not None


@pytest.mark.parametrize(
    "text",
    ["[x]\ninput = 1\n", "[x]\ninput = 1\noutput = 1\ncurrency = 'EUR'\n", "x = 1\n", "[x",
     "[x]\ninput = -1\noutput = 1\n", "[x]\ninput = nan\noutput = 1\n",
     "[x]\ninput = true\noutput = 1",
     "[x]\ninput = 1\noutput = 1\nas_of = 'today'\n", "[' ']\ninput = 1\noutput = 1\n"],
)  # fmt: skip
def test_a_mistake_in_the_file_shows_when_the_memory_is_opened(tmp_path: Path, text: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(InvalidInputError):
        erstwhile.open(":memory:", settings=erstwhile.Settings(prices=str(file)))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"nowhere\.toml"):
        load_prices(str(tmp_path / "nowhere.toml"))


def test_the_setting_reaches_every_scope(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text("[mine]\ninput = 2\noutput = 2\n")
    settings = erstwhile.Settings(prices=str(file), embedder="none")
    with erstwhile.open(":memory:", settings=settings) as memory:
        ana = memory.scoped(user="ana").scoped(project="shop")
        assert ana.usage.record("mine", input=1_000_000).cost == 2


@pytest.mark.parametrize("dollars", ["0", "0.000000001", "1", "999999.999999999", "1000000"])
def test_money_survives_the_store(dollars: str) -> None:
    amount = Decimal(dollars)
    assert in_dollars(in_nanos(checked_cost(amount))) == amount


def test_fractions_of_a_nano_dollar_are_rounded_to_even() -> None:
    halves = [Decimal(number) / 2_000_000_000 for number in (1, 3, 5)]
    assert [in_nanos(half) for half in halves] == [0, 2, 2]


def test_money_is_written_plainly() -> None:
    assert f"{in_dollars(100 * 10**9):f}" == "100"
    assert str(in_dollars(15 * 10**8)) == "1.5"
