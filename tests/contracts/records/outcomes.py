"""Outcomes: how things turned out, by domain and project."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError
from erstwhile.memory import Memory
from erstwhile.records.model import OutcomeTally
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, unchanged


class OutcomesContract(Contract):
    def test_an_outcome_is_kept_as_it_was_said(self, memory: Memory, clock: FakeClock) -> None:
        said = memory.outcomes.add("Code Review", -1, note="missed a race", source="user")
        assert (said.domain, said.score) == ("code review", -1)
        assert (said.note, said.source, said.created_at) == ("missed a race", "user", clock.now())
        assert memory.outcomes.get(said.id) == said

    @input_check
    @pytest.mark.parametrize("score", [2, -2, 0.5, 1.0, True, "1", None])
    def test_a_score_is_one_of_three(self, memory: Memory, score: Any) -> None:
        with unchanged(memory), pytest.raises(InvalidInputError, match="-1, 0 or 1"):
            memory.outcomes.add("x", score)

    def test_filters_of_a_list_apply_before_its_limit(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """A filter applies before the limit, however many others are newer."""
        wanted = [memory.outcomes.add("code", score) for score in (1, -1)]
        clock.advance(days=1)
        for _ in range(5):
            memory.outcomes.add("mail", 1)
        assert list(memory.outcomes.list(domain=" CODE ", limit=2)) == wanted[::-1]
        assert list(memory.outcomes.list(score=-1)) == wanted[1:]
        assert list(memory.outcomes.list(until="1 hour ago")) == wanted[::-1]
        assert len(memory.outcomes.list(since="1 hour ago")) == 5

    def test_a_tally_counts_by_domain_and_project(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        shop = memory.scoped(user="ana", project="shop")
        for score in (1, 1, 0, -1):
            ana.outcomes.add("code", score)
        shop.outcomes.add("code", -1)
        shop.outcomes.delete(shop.outcomes.add("mail", 1).id)
        general = OutcomeTally(domain="code", project=None, good=2, neutral=1, bad=1)
        own = OutcomeTally(domain="code", project="shop", good=0, neutral=0, bad=1)
        assert ana.outcomes.tally() == [general]
        assert shop.outcomes.tally(domain="Code") == [general, own]
        assert (general.balance, own.balance) == (1, -1)
        assert shop.outcomes.tally(since="in 1 hour") == []
        assert memory.outcomes.tally() == []
