"""Consolidation: rules merge what says the same, a model only proposes, and a run is undone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from erstwhile.core.errors import ConflictError, LlmError, NotFoundError, RefusedError
from erstwhile.core.kinds import Ending, Kind, Tier
from erstwhile.core.policies import DailyLimit
from erstwhile.core.ports import Completion, Engine, Prompt
from erstwhile.facts.fact import Fact
from erstwhile.learning.consolidation.collection import Consolidation, ConsolidationAct
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import ScriptedLlm
from tests.contracts.base import Contract, texts
from tests.contracts.learning.learning import learning_memory

MERGED, DISPUTED = ConsolidationAct.MERGED, ConsolidationAct.DISPUTED
PROPOSED, LEARNED = ConsolidationAct.PROPOSED, ConsolidationAct.LEARNED
NOTHING = {"merge": [], "over": [], "instruction": {"ids": [], "text": ""}}


def put(memory: Memory, *statements: str, **details: Any) -> list[Fact]:
    """Store learned facts without comparing them, as learning and imports do."""
    return memory.remember_many(
        [{"text": text, "origin": "learned", **details} for text in statements]
    )


def acts(report: Consolidation) -> list[ConsolidationAct]:
    return [change.act for change in report.changes]


def states(memory: Memory) -> list[str]:
    """Return all live facts with all that is stored of them, but for the time of their change."""
    found = [fact.to_dict(memory.facts.get(fact.id).known_from) for fact in memory.facts.list()]
    return [json.dumps({**each, "known_from": None}, sort_keys=True) for each in found]


def of_model(**parts: Any) -> Callable[[Prompt], dict[str, Any]]:
    return lambda _prompt: {**NOTHING, **parts}


class RuleConsolidationContract(Contract):
    @pytest.fixture
    def ana(self, memory: Memory) -> Memory:
        return memory.scoped(user="ana")

    def test_facts_that_say_the_same_become_one(self, ana: Memory, clock: FakeClock) -> None:
        old, new = put(ana, "The user has a red bike", "The user has the red bike.")
        before, then = ana.facts.list(), clock.advance(hours=1)
        clock.advance(days=1)
        report = ana.consolidate()
        assert (acts(report), report.examined) == ([MERGED], 2)
        [kept] = ana.facts.list()
        ended = ana.facts.get(new.id if kept.id == old.id else old.id)
        assert (ended.ending, ended.superseded_by) == (Ending.SUPERSEDED, kept.id)
        assert (kept.supersedes, kept.evidence) == ((ended.id,), 2)
        assert kept.tier is Tier.INFERRED
        assert list(ana.facts.list(known_at=then)) == list(before)
        assert {step.fact.id for step in ana.facts.history(kept.id)} == {old.id, new.id}
        assert ana.audit.verify().ok

    def test_the_fullest_statement_stays(self, ana: Memory) -> None:
        put(ana, "The user has a dog", "The user has a dog called Rex")
        put(ana, "Ana runs.", "Ana runs. It began in May.")
        assert acts(ana.consolidate()) == [MERGED, MERGED]
        assert texts(ana.facts.list()) == [
            "Ana runs. It began in May.", "The user has a dog called Rex",
        ]  # fmt: skip

    def test_labels_are_kept(self, ana: Memory) -> None:
        put(ana, "Ana likes tea", tags=["drink"], entities=["Ana"], metadata={"a": 1})
        put(ana, "Ana likes tea.", tags=["taste"], entities=["tea"], metadata={"b": 2})
        ana.consolidate()
        [kept] = ana.facts.list()
        assert set(kept.tags) == {"drink", "taste"}
        assert set(kept.entities) == {"Ana", "tea"}
        assert dict(kept.metadata) == {"a": 1, "b": 2}

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Ana has 2 sons", "Ana has 3 sons"),
            ("Ana met Bob", "Bob met Ana"),
            ("Ana eats meat", "Ana does not eat meat"),
            ("Ana lives in Porto", "Ana lived in Porto"),
            ("Ana has a few friends", "Ana has few friends"),
            ("Ana writes C", "Ana writes C++"),
            ("The balance is -5", "The balance is 5"),
            ("Ana flies on 2026-03-01", "Ana flies on 2026-03-02"),
            ("Ana has a dog", "Ana has a dog. Not any more."),
            ("Ana has a dog", "Bob says that Ana has a dog"),
        ],
    )
    def test_what_differs_stays_apart(self, ana: Memory, one: str, other: str) -> None:
        put(ana, one, other)
        assert MERGED not in acts(ana.consolidate())
        assert len(ana.facts.list()) == 2

    def test_events_of_two_days_and_two_ends_stay_apart(self, ana: Memory) -> None:
        put(ana, "Ana ran", kind="event", valid_from="2026-01-01")
        put(ana, "Ana ran.", kind="event", valid_from="2026-01-02")
        put(ana, "Ana is ill", expires_at="in 3 days")
        put(ana, "Ana is ill.", expires_at="in 9 days")
        assert not ana.consolidate().changes

    def test_facts_of_a_person_are_only_proposed(self, ana: Memory) -> None:
        first = ana.remember("The user can't eat nuts")
        put(ana, "The user can not eat nuts.")
        before = states(ana)
        assert acts(ana.consolidate()) == [PROPOSED]
        assert states(ana) == before
        [held] = ana.quarantine.list()
        assert held.ends
        ana.quarantine.approve(held.id)
        [kept] = ana.facts.list()
        assert kept.id == first.id
        ended = ana.facts.get(held.replaces[0])
        assert (ended.superseded_by, kept.supersedes) == (kept.id, (ended.id,))
        assert ana.audit.verify().ok

    @pytest.mark.parametrize("protect", ["pin", "confirm"])
    def test_pinned_and_confirmed_facts_are_only_proposed(self, ana: Memory, protect: str) -> None:
        first, _ = put(ana, "Ana likes tea", "Ana likes tea.")
        getattr(ana.facts, protect)(first.id)
        before = states(ana)
        assert acts(ana.consolidate()) == [PROPOSED]
        assert states(ana) == before

    def test_a_rejected_proposal_is_not_made_again(self, ana: Memory) -> None:
        ana.remember_many(["The user can't eat nuts", "The user can not eat nuts."])
        ana.consolidate()
        [held] = ana.quarantine.list()
        ana.quarantine.reject(held.id)
        assert not ana.consolidate().changes
        assert len(ana.quarantine.list()) == 0

    def test_contradictions_are_noted_and_stay_with_the_merged_fact(self, ana: Memory) -> None:
        put(ana, "The user lives in Lisbon", "The user lives in Porto")
        assert acts(ana.consolidate()) == [DISPUTED]
        put(ana, "The user lives in the Lisbon.")
        assert MERGED in acts(ana.consolidate())
        live = {fact.id for fact in ana.facts.list()}
        [dispute] = [each for each in ana.conflicts.list() if not each.moot]
        assert {dispute.older.id, dispute.newer.id} == live

    def test_a_fact_that_is_merged_is_disputed_all_the_same(self, ana: Memory) -> None:
        put(ana, "The user lives in Lisbon", "The user lives in the Lisbon.")
        put(ana, "The user lives in Porto")
        assert {DISPUTED, MERGED} <= set(acts(ana.consolidate()))
        live = {fact.id for fact in ana.facts.list()}
        [dispute] = [each for each in ana.conflicts.list() if not each.moot]
        assert {dispute.older.id, dispute.newer.id} == live

    def test_repeated_observations_become_a_lesson(self, ana: Memory) -> None:
        for number in range(3):
            ana.observations.add("bugfix", f"Bug {number}", learned="Restart the worker.")
        ana.observations.add("bugfix", "Bug 3", learned="Read the log.")
        report = ana.consolidate()
        assert acts(report) == [LEARNED]
        [lesson] = ana.lessons.list()
        assert (lesson.domain, lesson.rule, lesson.occurrences) == (
            "bugfix", "Restart the worker.", 3,
        )  # fmt: skip
        ana.consolidations.undo(report.id or "")
        assert not ana.consolidate().changes
        assert len(ana.lessons.list()) == 0
        assert len(ana.observations.list()) == 4

    def test_a_second_run_changes_nothing(self, ana: Memory, clock: FakeClock) -> None:
        put(ana, "Ana likes tea", "Ana likes tea.", "Ana lives in Porto", "Ana lives in Faro")
        ana.remember_many(["The user can't eat nuts", "The user can not eat nuts."])
        assert ana.consolidate().changes
        clock.advance(days=1)
        before = len(ana.audit.list(limit=1_000))
        again = ana.consolidate()
        assert (again.id, again.changes) == (None, ())
        assert len(ana.audit.list(limit=1_000)) == before

    def test_a_preview_changes_nothing(self, ana: Memory) -> None:
        put(ana, "Ana likes tea", "Ana likes tea.")
        before = len(ana.audit.list(limit=1_000))
        seen = ana.consolidate(preview=True)
        assert (seen.preview, seen.id, acts(seen)) == (True, None, [MERGED])
        assert len(ana.audit.list(limit=1_000)) == before
        assert len(ana.facts.list()) == 2
        assert acts(ana.consolidate()) == [MERGED]

    def test_one_call_takes_a_run_back(self, ana: Memory, clock: FakeClock) -> None:
        put(ana, "Ana likes tea", "Ana likes tea.", "Ana has a dog", "Ana has a dog called Rex")
        put(ana, "Ana lives in Porto", "Ana lives in Faro", tags=["home"])
        ana.remember_many(["The user can't eat nuts", "The user can not eat nuts."])
        before = states(ana)
        report = ana.consolidate()
        assert report.id is not None
        clock.advance(days=1)
        undone = ana.consolidations.undo(report.id[:13], reason="too soon")
        assert undone.skipped == ()
        assert states(ana) == before
        assert len(ana.quarantine.list()) == len(ana.conflicts.list()) == 0
        assert not ana.consolidate().changes
        with pytest.raises(ConflictError):
            ana.consolidations.undo(report.id)
        assert ana.audit.verify().ok

    def test_what_changed_since_stays(self, ana: Memory) -> None:
        put(ana, "Ana likes tea", "Ana likes tea.")
        put(ana, "Ana has a dog", "Ana has a dog called Rex")
        report = ana.consolidate()
        [tea] = [fact for fact in ana.facts.list() if "tea" in fact.text]
        ana.facts.pin(tea.id)
        undone = ana.consolidations.undo(report.id or "")
        assert (undone.facts, set(undone.skipped)) == (2, {tea.id, *tea.supersedes})
        assert len(ana.facts.list()) == 3

    def test_a_fact_can_be_undone_by_itself(self, ana: Memory) -> None:
        put(ana, "Ana likes tea", "Ana likes tea.")
        ana.consolidate()
        [kept] = ana.facts.list()
        ana.facts.undo(kept.supersedes[0])
        assert len(ana.facts.list()) == 2
        assert not ana.consolidate().changes

    def test_scopes_are_never_mixed(self, memory: Memory, ana: Memory) -> None:
        bob, shop = memory.scoped(user="bob"), memory.scoped(user="ana", project="shop")
        for each in (memory, ana, bob, shop):
            put(each, "The tea is green")
        assert not memory.everything().consolidate().changes
        put(ana, "The tea is green.")
        put(bob, "The tea is green.")
        assert not shop.consolidate().changes
        report = memory.everything().consolidate()
        assert acts(report) == [MERGED, MERGED]
        assert memory.everything().facts.count() == 4
        with pytest.raises(NotFoundError):
            shop.consolidations.undo("00000000-0000-7000-8000-000000000000")
        assert memory.everything().consolidations.undo(report.id or "").facts == 4
        assert memory.everything().facts.count() == 6

    def test_agents_and_strangers_may_not(self, memory: Memory, ana: Memory) -> None:
        put(ana, "Ana likes tea", "Ana likes tea.")
        agent = ana.acting_as("bot", person=False)
        with pytest.raises(RefusedError):
            agent.consolidate()
        report = ana.consolidate()
        with pytest.raises(RefusedError):
            agent.consolidations.undo(report.id or "")
        with pytest.raises(NotFoundError):
            memory.scoped(user="bob").consolidations.undo(report.id or "")

    def test_an_erased_fact_is_left_out_of_undo(self, ana: Memory) -> None:
        put(ana, "Ana likes tea", "Ana likes tea.")
        report = ana.consolidate()
        [kept] = ana.facts.list()
        ana.facts.erase(kept.supersedes[0])
        assert ana.consolidations.undo(report.id or "").facts == 0
        assert [fact.id for fact in ana.facts.list()] == [kept.id]


class ModelConsolidationContract(Contract):
    DOGS = ("The user has a dog called Rex", "The user has a dog that fears thunder since 2024")

    def taught(self, engine: Engine, clock: FakeClock, *script: Any, **more: Any) -> Memory:
        self.llm = ScriptedLlm(*script)
        return learning_memory(engine, clock, self.llm, **more).scoped(user="ana")

    def test_a_merge_is_proposed(self, engine: Engine, clock: FakeClock) -> None:
        text = "The user has a dog called Rex that fears thunder since 2024"
        answer = of_model(merge=[{"ids": ["s1", "s2"], "text": text}])
        ana = self.taught(engine, clock, answer)
        first, second = put(ana, *self.DOGS)
        before = states(ana)
        report = ana.consolidate()
        assert (acts(report), report.asked) == ([PROPOSED], 1)
        assert states(ana) == before
        assert self.DOGS[0] in self.llm.prompts[0].user
        [held] = ana.quarantine.list()
        ana.quarantine.approve(held.id)
        [kept] = ana.facts.list()
        assert kept.text == text
        assert {ana.facts.get(each.id).superseded_by for each in (first, second)} == {kept.id}

    @pytest.mark.parametrize(
        "text",
        [
            "The user has a dog that fears thunder",
            "The user has a dog called Rex that fears thunder since 2023",
            "The user has a dog called Max that fears thunder since 2024",
            "The user has a dog called Rex that does not fear thunder since 2024",
            "The user has a dog called Rex that fears thunder and fireworks since 2024",
            "The user has a dog",
            "",
        ],
    )
    def test_a_bad_merge_is_left_out(self, engine: Engine, clock: FakeClock, text: str) -> None:
        answer = of_model(merge=[{"ids": ["s1", "s2", "s9"], "text": text}])
        ana = self.taught(engine, clock, answer)
        put(ana, *self.DOGS)
        report = ana.consolidate()
        assert (report.changes, len(report.notes)) == ((), 1)
        assert len(ana.quarantine.list()) == 0

    def test_what_another_fact_replaced_is_proposed_to_end(
        self, engine: Engine, clock: FakeClock
    ) -> None:
        ana = self.taught(engine, clock, of_model(over=[{"id": "s1", "by": "s2"}]))
        home, new = put(ana, "Ana lives in Porto near the river", "Ana left Porto near the river")
        assert acts(ana.consolidate()) == [PROPOSED]
        [held] = ana.quarantine.list()
        ana.quarantine.approve(held.id)
        ended = {fact.id: fact for fact in (ana.facts.get(home.id), ana.facts.get(new.id))}
        gone = next(fact for fact in ended.values() if fact.retired_at is not None)
        assert gone.superseded_by in ended

    def test_a_repeated_wish_becomes_a_proposed_instruction(
        self, engine: Engine, clock: FakeClock
    ) -> None:
        wish = {"ids": ["s1", "s2", "s3"], "text": "The user wants short answers"}
        ana = self.taught(engine, clock, of_model(instruction=wish))
        put(ana, *(f"The user wants short answers about {each}" for each in ("C", "Go", "Zig")))
        assert acts(ana.consolidate()) == [PROPOSED]
        [held] = ana.quarantine.list()
        assert held.fact.kind is Kind.INSTRUCTION
        assert len(ana.facts.list(kind="instruction")) == 0
        ana.quarantine.approve(held.id)
        assert texts(ana.facts.list(kind="instruction")) == [wish["text"]]

    def test_observations_that_resemble_each_other_give_a_lesson(
        self, engine: Engine, clock: FakeClock
    ) -> None:
        said = "Restart the worker after migration"
        answer = of_model(merge=[{"ids": ["s1", "s2", "s3"], "text": said}])
        ana = self.taught(engine, clock, answer)
        for when in ("early", "late", "again"):
            ana.observations.add("bugfix", f"Restart the worker {when} after migration")
        assert acts(ana.consolidate()) == [LEARNED]
        assert [lesson.rule for lesson in ana.lessons.list()] == [said]

    def test_a_group_is_asked_about_once(self, engine: Engine, clock: FakeClock) -> None:
        ana = self.taught(engine, clock, NOTHING)
        put(ana, *self.DOGS)
        assert ana.consolidate(preview=True).asked == 0
        assert ana.consolidate().asked == 1
        assert ana.consolidate().asked == 0
        assert ana.usage.summary()[0].calls == 1

    def test_the_daily_limit_holds(self, engine: Engine, clock: FakeClock) -> None:
        answer = Completion(text=json.dumps(NOTHING), input=90, output=10)
        limit = DailyLimit(tokens=100)
        ana = self.taught(engine, clock, answer, answer, limit=limit)
        put(ana, *self.DOGS, "Ana likes tea", "Ana likes tea.")
        put(ana, "Bob's cat sleeps on blue chairs", "Bob's cat sleeps on blue chairs at night")
        first = ana.consolidate()
        assert (acts(first), first.asked) == ([MERGED], 1)
        assert "limit" in first.notes[0]
        clock.advance(days=1)
        assert ana.consolidate().asked == 1
        assert ana.consolidate().asked == 0

    @pytest.mark.parametrize("answer", ["nonsense", LlmError("down"), {"merge": [{"ids": 3}]}])
    def test_a_failing_model_costs_only_its_part(
        self, engine: Engine, clock: FakeClock, answer: Any
    ) -> None:
        ana = self.taught(engine, clock, answer, NOTHING)
        put(ana, *self.DOGS, "Ana likes tea", "Ana likes tea.")
        report = ana.consolidate()
        assert (acts(report), len(report.notes)) == ([MERGED], 1)
        assert ana.consolidate().asked == 1
