"""Usage: exact sums of tokens and cost; the cost is unknown without a price."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from erstwhile.usage.prices import Price, UsageSummary
from tests.contracts.base import Contract, input_check, unchanged

PRICE = Price(
    input=Decimal(3), output=Decimal(15), cache_read=Decimal("0.3"), cache_write=Decimal("3.75")
)
BAD_CALLS: dict[str, dict[str, Any]] = {
    "a negative count": {"input": -1},
    "half a token": {"output": 0.5},
    "a count in words": {"input": "1"},
    "a truth": {"cache_read": True},
    "too many": {"cache_write": 100_000_001},
    "a float": {"cost": 0.1},
    "a debt": {"cost": "-1"},
    "not a number": {"cost": "NaN"},
    "infinite": {"cost": Decimal("Infinity")},
    "too dear": {"cost": 1_000_001},
    "both": {"cost": 1, "price": PRICE},
    "half a price": {"price": {"input": 1}},
    "more than a price": {"price": {"input": 1, "output": 1, "currency": "EUR"}},
    "a price in floats": {"price": {"input": 0.1, "output": 1}},
    "the future": {"at": "in 1 hour"},
    "long ago": {"at": "1969-12-31"},
}


class UsageContract(Contract):
    def test_a_call_keeps_its_token_counts_and_cost(self, memory: Memory, clock: FakeClock) -> None:
        entry = memory.usage.record(
            "Some-Model", input=1, output=2, cache_read=3, cache_write=4, session="s"
        )
        assert (entry.input, entry.output, entry.cache_read, entry.cache_write) == (1, 2, 3, 4)
        assert (entry.model, entry.session, entry.at) == ("some-model", "s", clock.now())
        assert memory.usage.get(entry.id) == entry
        entry = memory.usage.record(
            "x", input=1_000, output=100, cache_read=10_000, cache_write=2_000, price=PRICE
        )
        assert entry.cost == Decimal("0.003") + Decimal("0.0015") + Decimal("0.003") + Decimal(
            "0.0075"
        )
        assert memory.usage.get(entry.id).cost == entry.cost == Decimal("0.015")
        for cost in (Decimal("0.000000001"), "0.1", 2, "1e-3"):
            assert memory.usage.record("gpt-4o", input=5, cost=cost).cost == Decimal(cost)
        assert memory.usage.record("x", cost="0.0000000004").cost == 0

    def test_the_price_table_knows_models_by_name_and_release(self, memory: Memory) -> None:
        plain = memory.usage.record("claude-sonnet-4-5", input=1_000_000).cost
        assert plain == 3
        for name in ("Claude-Sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"):
            assert memory.usage.record(name, input=1_000_000).cost == plain
        mini, whole = (memory.usage.price(name) for name in ("gpt-4o-mini", "gpt-4o"))
        assert mini is not None
        assert whole is not None
        assert mini.input < whole.input
        assert memory.usage.price("gpt-4o-mini-tts") is None

    def test_an_unknown_model_has_an_unknown_cost(self, memory: Memory) -> None:
        entry = memory.usage.record("my-own-model", input=1_000)
        assert entry.cost is None
        [total] = memory.usage.summary()
        assert (total.calls, total.input, total.cost, total.unpriced) == (1, 1_000, None, 1)
        memory.usage.record("x", input=1, cost=0)
        [total] = memory.usage.summary()
        assert (total.calls, total.unpriced) == (2, 1)
        assert total.cost == 0

    def test_sums_are_exact(self, memory: Memory) -> None:
        for _ in range(10):
            memory.usage.record("x", cost="0.1")
        memory.usage.record("x", cost="0.000000003")
        [total] = memory.usage.summary()
        assert total.cost == Decimal("1.000000003")

    def test_sums_by_day_model_and_session(self, memory: Memory, clock: FakeClock) -> None:
        usage = memory.usage
        usage.record("a", input=1, cost=1, session="s")
        usage.record("b", output=2, at="2026-02-28T23:59:59Z")
        usage.record("a", cache_read=3, cache_write=4, cost=2, at="2026-02-28")
        days, models, sessions = (usage.summary(by) for by in ("day", "model", "session"))
        assert days == [
            _sum("2026-02-28", 2, output=2, cache_read=3, cache_write=4, cost=2, unpriced=1),
            _sum("2026-03-01", 1, input=1, cost=1),
        ]
        assert models == [
            _sum("a", 2, input=1, cache_read=3, cache_write=4, cost=3),
            _sum("b", 1, output=2, unpriced=1),
        ]
        assert sessions == [
            _sum(None, 2, output=2, cache_read=3, cache_write=4, cost=2, unpriced=1),
            _sum("s", 1, input=1, cost=1),
        ]
        assert clock.now().date().isoformat() == days[1].of

    def test_a_sum_counts_no_deleted_calls(self, memory: Memory) -> None:
        assert memory.usage.summary() == [_sum(None, 0)]
        for by in ("day", "model", "session"):
            assert memory.usage.summary(by) == []
        entry = memory.usage.record("x", input=1, cost=1)
        memory.usage.delete(entry.id, reason="a test")
        assert memory.usage.summary() == [_sum(None, 0)]
        memory.usage.restore(entry.id)
        assert memory.usage.summary() == [_sum(None, 1, input=1, cost=1)]

    def test_sums_and_lists_can_be_filtered(self, memory: Memory) -> None:
        usage = memory.usage
        wanted = usage.record("a", input=1, session="s", at="2026-02-01")
        usage.record("a", input=10)
        usage.record("b", input=100, session="s")
        assert _input(usage.summary(model="A", session="s")) == 1
        assert _input(usage.summary(until="2026-02-02")) == 1
        assert _input(usage.summary(since="2026-02-02")) == 110
        assert list(usage.list(model="a", until="2026-02-02")) == [wanted]
        assert len(usage.list(session="s")) == 2

    def test_the_session_of_the_scope_is_the_default(self, memory: Memory) -> None:
        one, two = (memory.scoped(user="ana", session=name) for name in ("one", "two"))
        assert one.usage.record("x", input=1).session == "one"
        assert one.usage.record("x", input=2, session="inner").session == "inner"
        two.usage.record("x", input=4)
        assert _input(one.usage.summary()) == 3
        assert [each.of for each in one.usage.summary("session")] == ["inner", "one"]
        assert _input(memory.everything().usage.summary()) == 7

    @input_check
    @pytest.mark.parametrize("bad", BAD_CALLS)
    def test_an_impossible_call_is_refused(self, memory: Memory, bad: str) -> None:
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.usage.record("gpt-4o", **BAD_CALLS[bad])


def _sum(of: str | None, calls: int, **sums: Any) -> UsageSummary:
    nothing = {"input": 0, "output": 0, "cache_read": 0, "cache_write": 0, "unpriced": 0}
    return UsageSummary(of=of, calls=calls, **{**nothing, "cost": None, **sums})


def _input(sums: list[UsageSummary]) -> int:
    [total] = sums
    return total.input
