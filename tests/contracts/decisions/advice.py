"""Advice: exactness or nothing allows; a denial of the same act denies until a person lifts it."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.core.errors import ConflictError, CorruptError, InvalidInputError
from erstwhile.core.ports import Engine
from erstwhile.decisions.decision import Decision, DecisionRequest
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, embedding_memory, inside, unchanged
from tests.contracts.decisions.precedents import asked
from tests.contracts.decisions.recording import decided
from tests.doubles import UnreliableEmbedder

PUBLISH, TAGGED = "npm publish", "npm publish --tag beta"
PUSH, PULL = "git push origin main", "git pull origin main"
ALLOW = {"choice": "allow"}


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

    def test_a_person_denies_exactly_this(self, memory: Memory, clock: FakeClock) -> None:
        advice = memory.decisions.advise(asked())
        assert (advice.suggestion, advice.precedents) == ("ask", ())
        self.record(memory, clock, {"message": "never from a laptop"})
        advice = memory.decisions.advise(asked())
        assert (advice.suggestion, len(advice.precedents)) == ("deny", 1)
        assert advice.reason == "a person denied exactly this: never from a laptop"
        assert advice.precedents[0].found_by == "same"

    @pytest.mark.parametrize(
        "said",
        [
            {"decided_by": "model"}, {"decided_by": "advice"}, {"decided_by": "agent"},
            {"transient": True}, {"choice": "observe"},
        ],
        ids=str,
    )  # fmt: skip
    def test_what_is_no_judgement_changes_nothing(
        self, memory: Memory, clock: FakeClock, said: dict[str, Any]
    ) -> None:
        self.record(memory, clock, *[said] * 8)
        assert memory.decisions.advise(asked()).suggestion == "ask"
        self.record(memory, clock, {}, *[{"choice": "allow", **said}] * 8)
        assert memory.decisions.advise(asked()).suggestion == "deny"
        assert memory.decisions.advise(asked(TAGGED)).suggestion == "deny"

    def test_what_the_act_decides_is_not_embedded(self, engine: Engine, clock: FakeClock) -> None:
        embedder = UnreliableEmbedder()
        memory = embedding_memory(engine, clock, embedder)
        self.record(memory, clock, {})
        embedder.embedded.clear()
        assert memory.decisions.advise(asked()).suggestion == "deny"
        assert memory.decisions.advise(asked("npm install"), limit=0).suggestion == "ask"
        assert embedder.embedded == []
        assert memory.decisions.advise(asked("npm install")).suggestion == "ask"
        assert embedder.embedded == ["npm install"]

    def test_denials_of_other_things_do_not_count(self, memory: Memory, clock: FakeClock) -> None:
        self.record(memory, clock, *[{"command": "npm install"}] * 3)
        self.record(memory, clock, *[{"tool": "Editor"}] * 3)
        self.record(memory, clock, *[{"goal": "other"}] * 3)
        assert memory.decisions.advise(asked()).suggestion == "ask"
        assert memory.decisions.advise(asked(), namespace="global").suggestion == "deny"

    def test_all_shells_are_the_same_tool(self, memory: Memory, clock: FakeClock) -> None:
        self.record(memory, clock, {"tool": "Shell"})
        assert memory.decisions.advise(asked()).suggestion == "deny"

    def test_the_same_act_is_denied_too(self, memory: Memory, clock: FakeClock) -> None:
        self.record(memory, clock, {"message": "never"})
        advice = memory.decisions.advise(asked(f"cd web && {TAGGED}"))
        assert (advice.suggestion, advice.reason) == ("deny", "a person denied the same act: never")
        assert advice.precedents[0].found_by == "act"
        assert 0.75 <= advice.precedents[0].score < 1

    def test_the_number_of_denials_can_be_set(self, memory: Memory, clock: FakeClock) -> None:
        self.record(memory, clock, {}, {})
        request = asked(TAGGED)
        assert memory.decisions.advise(request, denials=2).suggestion == "deny"
        assert memory.decisions.advise(request, denials=3).suggestion == "ask"
        for wrong in (0, True, 1.5):
            with pytest.raises(InvalidInputError):
                memory.decisions.advise(request, denials=wrong)  # type: ignore[arg-type]

    def test_the_share_of_denials_can_be_set(self, memory: Memory, clock: FakeClock) -> None:
        self.record(memory, clock, {"command": "npm publish --tag beta"}, {})
        self.record(memory, clock, {"command": "npm publish --access public", "choice": "allow"})
        request = asked("npm publish --tag beta --access public")
        assert memory.decisions.advise(request).suggestion == "deny"
        assert memory.decisions.advise(request, share=0.7).suggestion == "ask"
        with pytest.raises(InvalidInputError):
            memory.decisions.advise(request, share=1.1)

    def test_the_floor_can_be_set(self, memory: Memory, clock: FakeClock) -> None:
        self.record(memory, clock, {})
        assert memory.decisions.advise(asked(TAGGED), floor=0.0).suggestion == "deny"
        assert memory.decisions.advise(asked(TAGGED), floor=1.0).suggestion == "ask"
        assert memory.decisions.advise(asked(), floor=1.0).suggestion == "deny"
        for wrong in (-0.1, 1.1, float("nan")):
            with pytest.raises(InvalidInputError):
                memory.decisions.advise(asked(), floor=wrong)

    def test_the_last_decision_of_a_person_wins(self, memory: Memory, clock: FakeClock) -> None:
        self.record(memory, clock, {"choice": "allow"}, {}, {}, {})
        assert memory.decisions.advise(asked()).suggestion == "deny"
        for by in ("model", "rule", "advice", "agent"):
            self.record(memory, clock, {"choice": "allow", "decided_by": by})
            assert memory.decisions.advise(asked()).suggestion == "deny"
        self.record(memory, clock, {"choice": "allow"})
        assert memory.decisions.advise(asked()).suggestion == "allow"
        self.record(memory, clock, {})
        assert memory.decisions.advise(asked()).suggestion == "deny"

    @pytest.mark.parametrize(
        ("said", "suggestions"),
        [
            ([{}, {}], {TAGGED: "deny"}),
            ([{}, {}, ALLOW], {TAGGED: "ask"}),  # a lifted denial denies no similar call
            ([*[{"command": PUSH}] * 4, {"command": PULL, **ALLOW}], {PUSH: "deny", PULL: "allow"}),
            ([{}, {"lasts": "once", **ALLOW}], {PUBLISH: "ask"}),
            ([ALLOW, {"lasts": "once"}], {PUBLISH: "ask", TAGGED: "ask"}),
            ([{"decided_by": "model", **ALLOW}], {PUBLISH: "ask"}),
            ([{"decided_by": "rule", **ALLOW}], {PUBLISH: "ask"}),
            ([{"decided_by": "advice", **ALLOW}], {PUBLISH: "ask"}),
            ([{"decided_by": "agent", **ALLOW}], {PUBLISH: "ask"}),
            ([{"lasts": "once", **ALLOW}], {PUBLISH: "ask"}),
            ([{"choice": "observe"}], {PUBLISH: "ask"}),
            ([{"transient": True, **ALLOW}], {PUBLISH: "ask"}),
        ],
        ids=str,
    )
    def test_only_the_standing_word_of_a_person_allows(
        self,
        memory: Memory,
        clock: FakeClock,
        said: list[dict[str, Any]],
        suggestions: dict[str, str],
    ) -> None:
        self.record(memory, clock, *said)
        for command, suggestion in suggestions.items():
            assert memory.decisions.advise(asked(command)).suggestion == suggestion

    def test_only_exactly_the_same_call_is_allowed(self, memory: Memory, clock: FakeClock) -> None:
        self.record(memory, clock, {"choice": "allow"})
        advice = memory.decisions.advise(asked())
        assert (advice.suggestion, len(advice.precedents)) == ("allow", 1)
        for other in ("npm publish --force", "npm  publish", "npm publish ", "NPM publish"):
            assert memory.decisions.advise(asked(other)).suggestion == "ask"
        assert memory.decisions.advise(asked(goal="other")).suggestion == "ask"

    def test_a_decision_for_a_goal_ends_with_it(self, memory: Memory, clock: FakeClock) -> None:
        for choice in ("allow", "deny"):
            self.record(memory, clock, {"choice": choice, "lasts": "goal"})
            assert memory.decisions.advise(asked()).suggestion == choice
            other = asked(goal="other")
            assert memory.decisions.advise(other, namespace="global").suggestion == "ask"

    def test_a_bad_outcome_cancels_an_allowance(self, memory: Memory, clock: FakeClock) -> None:
        kept = memory.decisions.record(decided(choice="allow"))
        clock.advance(minutes=1)
        memory.decisions.set_outcome(kept.id, "it deleted the wrong folder", good=False)
        assert memory.decisions.advise(asked()).suggestion == "ask"
        memory.decisions.set_outcome(kept.id, "that was another one", good=True)
        assert memory.decisions.advise(asked()).suggestion == "allow"

    def test_later_denial_by_rule_ends_permission(self, memory: Memory, clock: FakeClock) -> None:
        self.record(memory, clock, {"choice": "allow"}, {"decided_by": "rule"})
        assert memory.decisions.advise(asked()).suggestion == "deny"
        assert memory.decisions.advise(asked(), denials=2).suggestion == "ask"

    def test_a_person_may_allow_the_same_fields(self, memory: Memory, clock: FakeClock) -> None:
        self.record(memory, clock, {"choice": "allow", "covers": "fields"})

        def suggestion(**given: Any) -> str:
            request = DecisionRequest(goal="ship", tool="Bash", input=given)
            return str(memory.decisions.advise(request).suggestion)

        assert suggestion(command="npm publish", description="Publish it") == "allow"
        assert suggestion(command="npm publish; ls", description="Publish it") == "ask"
        assert suggestion(description="npm publish") == "ask"
        clock.advance(minutes=1)
        described = {"command": "npm publish", "description": "no"}
        memory.decisions.record(Decision(goal="ship", tool="Bash", input=described, choice="deny"))
        assert suggestion(**described) == "deny"

    @pytest.mark.parametrize(
        "said",
        [{"decided_by": "rule"}, {"decided_by": "model"}, {"input": {}}, {"input": ["npm"]}],
        ids=str,
    )
    def test_only_a_person_covers_fields_and_names_them(
        self, memory: Memory, said: dict[str, Any]
    ) -> None:
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.decisions.record(decided(**{"choice": "allow", "covers": "fields", **said}))

    def test_only_a_person_replaces_the_word_of_a_person(self, memory: Memory) -> None:
        kept = memory.decisions.record(decided())
        for by in ("rule", "model", "advice", "agent"):
            with unchanged(memory), pytest.raises(ConflictError, match="person"):
                memory.decisions.supersede(
                    kept.id, decided(choice="allow", decided_by=by), reason="x"
                )
        memory.decisions.supersede(kept.id, decided(choice="allow"), reason="we agreed")
        assert memory.decisions.advise(asked()).suggestion == "allow"

    def test_nothing_from_the_future_counts(self, memory: Memory, clock: FakeClock) -> None:
        with unchanged(memory), pytest.raises(InvalidInputError, match="future"):
            memory.decisions.record(decided(choice="allow", decided_at="in 5 years"))
        memory.decisions.record(decided(choice="allow", decided_at="in 4 minutes"))
        clock.advance(minutes=1)
        assert memory.decisions.advise(asked()).suggestion == "allow"
        self.record(memory, clock, {})
        assert memory.decisions.advise(asked()).suggestion == "deny"


class DecisionDamageContract(Contract):
    def damage(self, memory: Memory, decision: Decision, column: str = "input") -> None:
        statement = f"UPDATE decisions SET {column} = '{{' WHERE space = :space AND id = :id"  # noqa: S608
        inside(memory).change(lambda unit: unit.run_text(statement, {"id": decision.id}))

    def test_advice_says_who_decided_so_far_and_that_a_person_is_needed(
        self, memory: Memory
    ) -> None:
        for who in ("model", "model", "agent"):
            memory.decisions.record(decided(decided_by=who))
        advice = memory.decisions.advise(asked())
        assert advice.suggestion == "ask"
        assert advice.reason == (
            "only 2 deny by a model, 1 deny by an agent so far: a person's word is needed"
        )
        assert len(advice.precedents) == 3

    def test_a_damaged_decision_is_left_out_with_a_warning(self, memory: Memory) -> None:
        kept = memory.decisions.record(decided())
        broken = memory.decisions.record(decided())
        self.damage(memory, broken)
        with pytest.warns(RuntimeWarning, match=broken.id):
            assert [each.id for each in memory.decisions.list()] == [kept.id]
        with pytest.raises(CorruptError, match=broken.id) as told:
            memory.decisions.get(broken.id)
        assert "decisions.erase" in told.value.remedy

    def test_a_damaged_decision_never_makes_advice_allow(self, memory: Memory) -> None:
        memory.decisions.record(decided(choice="allow"))
        assert memory.decisions.advise(asked()).suggestion == "allow"
        broken = memory.decisions.record(decided(input={"command": "something else"}))
        self.damage(memory, broken)
        with pytest.warns(RuntimeWarning, match=broken.id):
            advice = memory.decisions.advise(asked())
        assert (advice.suggestion, "damaged" in advice.reason) == ("ask", True)

    @pytest.mark.parametrize("limit", [0, 5])
    def test_a_permission_that_cannot_be_read_in_full_allows_nothing(
        self, memory: Memory, limit: int
    ) -> None:
        said = memory.decisions.record(decided(choice="allow"))
        assert memory.decisions.advise(asked(), limit=limit).suggestion == "allow"
        self.damage(memory, said, "options")
        with pytest.warns(RuntimeWarning, match=said.id):
            advice = memory.decisions.advise(asked(), limit=limit)
        assert (advice.suggestion, "cannot be read" in advice.reason) == ("ask", True)

    def test_a_damaged_decision_can_be_erased(self, memory: Memory) -> None:
        broken = memory.decisions.record(decided())
        self.damage(memory, broken)
        assert memory.decisions.erase(broken.id).decisions == 1
        assert list(memory.decisions.list()) == []
        assert memory.audit.verify().ok

    def test_a_damaged_decision_does_not_keep_a_user_from_being_erased(
        self, memory: Memory
    ) -> None:
        ana = memory.scoped(user="ana")
        self.damage(ana, ana.decisions.record(decided()))
        memory.erase_user("ana")
        assert list(ana.decisions.list()) == []
