"""What past decisions suggest: to deny takes several judgements, to allow a person's very own."""

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
        """One after the other, a minute apart."""
        for each in said:
            memory.decisions.record(decided(**each))
            clock.advance(minutes=1)
        memory.flush()

    def test_with_no_precedent_somebody_is_asked(self, memory: Memory) -> None:
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
        """Else one denial would breed others (N8)."""
        self.record(memory, clock, {}, {}, *[said] * 8)
        assert memory.decisions.advise(asked()).suggestion == "ask"
        self.record(memory, clock, {})
        if said != {"decided_by": "model"}:
            assert memory.decisions.advise(asked()).suggestion == "deny"

    def test_denials_of_other_things_do_not_count(self, memory: Memory, clock: FakeClock) -> None:
        """However many there are (N7)."""
        self.record(memory, clock, *[{"command": f"rm -rf /{number}"} for number in range(9)])
        self.record(memory, clock, *[{"tool": "Shell"}] * 9)
        self.record(memory, clock, *[{"goal": "other"}] * 9)
        assert memory.decisions.advise(asked()).suggestion == "ask"
        assert memory.decisions.advise(asked(), namespace="global").suggestion == "deny"

    def test_six_in_ten_must_be_denials(self, memory: Memory, clock: FakeClock) -> None:
        """Of those that are recalled; a rule's allowance is no override, but it counts."""
        allowed = {"choice": "allow", "decided_by": "rule"}
        self.record(memory, clock, allowed, allowed, {}, {}, {})
        assert memory.decisions.advise(asked()).suggestion == "deny"
        self.record(memory, clock, allowed)
        assert memory.decisions.advise(asked(), limit=6).suggestion == "ask"

    def test_a_person_s_later_allowance_overrides(self, memory: Memory, clock: FakeClock) -> None:
        """Once, in that goal or always; an earlier one, or a model's, does not (N8)."""
        self.record(memory, clock, {"choice": "allow"}, {}, {}, {})
        assert memory.decisions.advise(asked()).suggestion == "deny"
        self.record(memory, clock, {"choice": "allow", "decided_by": "model"})
        assert memory.decisions.advise(asked()).suggestion == "deny"
        self.record(memory, clock, {"choice": "allow", "lasts": "once"})
        assert memory.decisions.advise(asked()).suggestion == "ask"
        self.record(memory, clock, {"choice": "allow"})
        assert memory.decisions.advise(asked()).suggestion == "allow"

    def test_an_override_counts_however_many_are_nearer(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """It is looked for among all that are like it, not only among the first."""
        self.record(memory, clock, *[{"command": "npm publish --tag next beta"}] * 9)
        request = asked("npm publish --tag next beta")
        assert memory.decisions.advise(request).suggestion == "deny"
        self.record(memory, clock, {"command": "npm publish --tag next", "choice": "allow"})
        assert memory.decisions.advise(request).suggestion == "ask"

    def test_only_the_very_same_that_a_person_allowed_is_allowed(
        self, memory: Memory, clock: FakeClock
    ) -> None:
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
        """(N11)"""
        self.record(memory, clock, {"choice": "allow", "lasts": "goal"})
        assert memory.decisions.advise(asked()).suggestion == "allow"
        other = asked(goal="other")
        assert memory.decisions.advise(other, namespace="global").suggestion == "ask"

    def test_an_allowance_that_went_wrong_is_none(self, memory: Memory, clock: FakeClock) -> None:
        kept = memory.decisions.record(decided(choice="allow"))
        clock.advance(minutes=1)
        memory.decisions.set_outcome(kept.id, "it deleted the wrong folder", good=False)
        assert memory.decisions.advise(asked()).suggestion == "ask"
        memory.decisions.set_outcome(kept.id, "that was another one", good=True)
        assert memory.decisions.advise(asked()).suggestion == "allow"

    def test_a_denial_after_it_ends_an_allowance(self, memory: Memory, clock: FakeClock) -> None:
        self.record(memory, clock, {"choice": "allow"}, {"decided_by": "rule"})
        assert memory.decisions.advise(asked()).suggestion == "ask"
