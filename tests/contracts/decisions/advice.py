"""Advice: denying needs several judgements, allowing needs the same call allowed by a person."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.core.ports import Engine
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, embedding_memory
from tests.contracts.decisions.precedents import asked
from tests.contracts.decisions.recording import decided


class AdviceContract(Contract):
    @pytest.fixture(params=["words", "meaning"])
    def memory(self, engine: Engine, clock: FakeClock, request: pytest.FixtureRequest) -> Memory:
        embedder = HashingEmbedder() if request.param == "meaning" else None
        return embedding_memory(engine, clock, embedder)

    def record(self, memory: Memory, clock: FakeClock, *said: dict[str, Any]) -> None:
        """Record decisions a minute apart."""
        for each in said:
            memory.decisions.record(decided(**each))
            clock.advance(minutes=1)
        memory.flush()

    def test_without_precedents_the_advice_is_ask(self, memory: Memory) -> None:
        advice = memory.decisions.advise(asked())
        assert (advice.suggestion, advice.precedents) == ("ask", ())

    def test_three_denials_deny_and_two_do_not(self, memory: Memory, clock: FakeClock) -> None:
        self.record(memory, clock, {}, {"decided_by": "rule"})
        assert memory.decisions.advise(asked()).suggestion == "ask"
        self.record(memory, clock, {"message": "never from a laptop"})
        advice = memory.decisions.advise(asked())
        assert advice.suggestion == "deny"
        assert "never from a laptop" in advice.reason
        assert len(advice.precedents) == 3

    @pytest.mark.parametrize(
        "said",
        [{"decided_by": "model"}, {"decided_by": "advice"}, {"transient": True}],
        ids=["by a model", "by advice itself", "after a failure"],
    )
    def test_denials_that_are_no_judgements_do_not_count(
        self, memory: Memory, clock: FakeClock, said: dict[str, Any]
    ) -> None:
        """Otherwise one denial would cause others."""
        self.record(memory, clock, {}, {}, *[said] * 8)
        assert memory.decisions.advise(asked()).suggestion == "ask"
        self.record(memory, clock, {})
        if said != {"decided_by": "model"}:
            assert memory.decisions.advise(asked()).suggestion == "deny"

    def test_denials_of_other_things_do_not_count(self, memory: Memory, clock: FakeClock) -> None:
        self.record(memory, clock, *[{"command": f"rm -rf /{number}"} for number in range(9)])
        self.record(memory, clock, *[{"tool": "Shell"}] * 9)
        self.record(memory, clock, *[{"goal": "other"}] * 9)
        assert memory.decisions.advise(asked()).suggestion == "ask"
        assert memory.decisions.advise(asked(), namespace="global").suggestion == "deny"

    def test_six_in_ten_must_be_denials(self, memory: Memory, clock: FakeClock) -> None:
        """The allowance of a rule counts, but does not override."""
        allowed = {"choice": "allow", "decided_by": "rule"}
        self.record(memory, clock, allowed, allowed, {}, {}, {})
        assert memory.decisions.advise(asked()).suggestion == "deny"
        self.record(memory, clock, allowed)
        assert memory.decisions.advise(asked(), limit=6).suggestion == "ask"

    def test_a_later_allowance_by_a_person_overrides_denials(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """An earlier allowance, or one by a model, does not override."""
        self.record(memory, clock, {"choice": "allow"}, {}, {}, {})
        assert memory.decisions.advise(asked()).suggestion == "deny"
        self.record(memory, clock, {"choice": "allow", "decided_by": "model"})
        assert memory.decisions.advise(asked()).suggestion == "deny"
        self.record(memory, clock, {"choice": "allow", "lasts": "once"})
        assert memory.decisions.advise(asked()).suggestion == "ask"
        self.record(memory, clock, {"choice": "allow"})
        assert memory.decisions.advise(asked()).suggestion == "allow"

    def test_an_override_counts_however_many_are_more_similar(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """All similar decisions are considered, not only the first few."""
        self.record(memory, clock, *[{"command": "npm publish --tag next beta"}] * 9)
        request = asked("npm publish --tag next beta")
        assert memory.decisions.advise(request).suggestion == "deny"
        self.record(memory, clock, {"command": "npm publish --tag next", "choice": "allow"})
        assert memory.decisions.advise(request).suggestion == "ask"

    def test_only_exactly_the_same_call_is_allowed(self, memory: Memory, clock: FakeClock) -> None:
        self.record(memory, clock, {"choice": "allow"})
        advice = memory.decisions.advise(asked())
        assert (advice.suggestion, len(advice.precedents)) == ("allow", 1)
        assert memory.decisions.advise(asked("npm publish --force")).suggestion == "ask"
        assert memory.decisions.advise(asked(goal="other")).suggestion == "ask"

    @pytest.mark.parametrize(
        "said",
        [
            {"decided_by": "model"}, {"decided_by": "rule"}, {"decided_by": "advice"},
            {"lasts": "once"}, {"choice": "observe"}, {"transient": True},
        ],
        ids=str,
    )  # fmt: skip
    def test_nothing_else_allows(
        self, memory: Memory, clock: FakeClock, said: dict[str, Any]
    ) -> None:
        self.record(memory, clock, {"choice": "allow", **said})
        assert memory.decisions.advise(asked()).suggestion == "ask"

    def test_an_allowance_for_a_goal_ends_with_it(self, memory: Memory, clock: FakeClock) -> None:
        self.record(memory, clock, {"choice": "allow", "lasts": "goal"})
        assert memory.decisions.advise(asked()).suggestion == "allow"
        other = asked(goal="other")
        assert memory.decisions.advise(other, namespace="global").suggestion == "ask"

    def test_an_allowance_with_a_bad_outcome_does_not_count(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        kept = memory.decisions.record(decided(choice="allow"))
        clock.advance(minutes=1)
        memory.decisions.set_outcome(kept.id, "it deleted the wrong folder", good=False)
        assert memory.decisions.advise(asked()).suggestion == "ask"
        memory.decisions.set_outcome(kept.id, "that was another one", good=True)
        assert memory.decisions.advise(asked()).suggestion == "allow"

    def test_a_later_denial_ends_an_allowance(self, memory: Memory, clock: FakeClock) -> None:
        self.record(memory, clock, {"choice": "allow"}, {"decided_by": "rule"})
        assert memory.decisions.advise(asked()).suggestion == "ask"
