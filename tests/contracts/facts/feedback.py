"""Feedback: useful facts rank a little higher, irrelevant ones a little lower."""

from __future__ import annotations

import pytest

from erstwhile.core.errors import InvalidInputError, NotFoundError, ScopeError
from erstwhile.facts.fact import Fact
from erstwhile.facts.feedback import KEPT
from erstwhile.memory import Memory
from erstwhile.recall.hits import RecallHits
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, found, unchanged

QUESTION = "what does Ana drink?"
TEA, COFFEE = "Ana drinks tea at home", "Ana drinks coffee at work"


class FeedbackContract(Contract):
    @pytest.fixture
    def drinks(self, memory: Memory) -> list[Fact]:
        """Store two facts that answer the query equally well."""
        return memory.remember_many([TEA, COFFEE])

    def test_what_was_useful_comes_first_at_once(self, memory: Memory, drinks: list[Fact]) -> None:
        assert found(memory.recall(QUESTION)) == [TEA, COFFEE]
        [judged] = memory.feedback(drinks[1].id, "useful")
        assert (judged.fact, judged.useful, judged.irrelevant) == (drinks[1].id, 1, 0)
        assert found(memory.recall(QUESTION)) == [COFFEE, TEA]

    def test_irrelevant_facts_rank_lower_at_once(self, memory: Memory, drinks: list[Fact]) -> None:
        memory.feedback([drinks[0].short_id], "irrelevant")
        assert found(memory.recall(QUESTION)) == [COFFEE, TEA]

    def test_the_reasons_tell_of_it(self, memory: Memory, drinks: list[Fact]) -> None:
        memory.feedback(drinks[0].id, "useful")
        first, second = memory.recall(QUESTION)
        assert first.why.factors["feedback"] > 0
        assert "feedback +0.01" in str(first.why)
        assert second.why.factors["feedback"] == 0

    def test_no_praise_lifts_a_poor_match_over_a_clear_one(self, memory: Memory) -> None:
        clear, poor = memory.remember_many(
            ["the printer is on the second floor", "the floor of the cellar is wet"]
        )
        for _ in range(30):
            memory.feedback(poor.id, "useful")
            memory.feedback(clear.id, "irrelevant")
        hits = memory.recall("where is the printer on the second floor?")
        assert hits[0].fact == clear

    def test_opposite_verdicts_cancel_out(self, memory: Memory, drinks: list[Fact]) -> None:
        for verdict in ("useful", "irrelevant"):
            [told] = memory.feedback(drinks[1].id, verdict)
        assert (told.useful, told.irrelevant) == (1, 1)
        assert {hit.why.factors["feedback"] for hit in memory.recall(QUESTION)} == {0.0}

    def test_a_fact_named_twice_is_judged_once(self, memory: Memory, drinks: list[Fact]) -> None:
        tea, coffee = drinks
        judged = memory.feedback([tea.id, coffee.id, tea.short_id], "useful")
        assert [(each.fact, each.useful) for each in judged] == [(tea.id, 1), (coffee.id, 1)]

    def test_what_cannot_be_meant_is_refused(self, memory: Memory, drinks: list[Fact]) -> None:
        with unchanged(memory), pytest.raises(NotFoundError):
            memory.feedback([drinks[0].id, "ffffffff"], "useful")
        assert {hit.why.factors["feedback"] for hit in memory.recall(QUESTION)} == {0.0}
        with unchanged(memory):
            with pytest.raises(InvalidInputError, match="useful, irrelevant"):
                memory.feedback(drinks[0].id, "great")
            with pytest.raises(InvalidInputError, match="no id"):
                memory.feedback([], "useful")
            with pytest.raises(NotFoundError, match="not an id"):
                memory.feedback(["tea"], "useful")
            with pytest.raises(InvalidInputError, match="must be a list"):
                memory.feedback(None, "useful")  # type: ignore[arg-type]
            with pytest.raises(ScopeError, match="no scope to judge in"):
                memory.everything().feedback(drinks[0].id, "useful")

    def test_it_counts_in_its_scope_and_below(self, memory: Memory, drinks: list[Fact]) -> None:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        ana.feedback(drinks[1].id, "useful")
        assert found(ana.recall(QUESTION)) == [COFFEE, TEA]
        assert found(ana.scoped(project="shop").recall(QUESTION)) == [COFFEE, TEA]
        for reader in (memory, bob):
            assert found(reader.recall(QUESTION)) == [TEA, COFFEE]
        memory.feedback([drinks[1].id], "useful")
        assert found(bob.recall(QUESTION)) == [COFFEE, TEA]

    def test_the_trail_tells_who_said_it_and_why(self, memory: Memory, drinks: list[Fact]) -> None:
        ana = memory.scoped(user="ana")
        ana.feedback(drinks[0].id, "irrelevant", reason="not asked for")
        entry = ana.audit.list()[0]
        assert (entry.action, entry.reason) == ("feedback.irrelevant", "not asked for")
        assert memory.facts.get(drinks[0].id) == drinks[0]
        assert [entry.action for entry in memory.audit.list(subject=drinks[0].id)] == ["remember"]
        assert memory.everything().audit.verify().ok

    def test_the_past_is_told_without_it(
        self, memory: Memory, clock: FakeClock, drinks: list[Fact]
    ) -> None:
        clock.advance(minutes=1)
        then = clock.now()
        before = memory.recall(QUESTION, known_at=then)
        clock.advance(minutes=1)
        memory.feedback(drinks[1].id, "useful")
        assert memory.recall(QUESTION, known_at=then) == before

    def test_it_goes_with_its_fact(self, memory: Memory, drinks: list[Fact]) -> None:
        ana = memory.scoped(user="ana")
        for reader in (memory, ana):
            reader.feedback(drinks[1].id, "useful", reason="a secret")
        receipt = memory.facts.erase(drinks[1].id)
        assert receipt.audit_entries >= 3
        reasons = {entry.reason for entry in memory.everything().audit.list(limit=100)}
        assert "a secret" not in reasons
        assert memory.everything().audit.verify().ok


class UsesContract(Contract):
    @pytest.fixture(autouse=True)
    def drinks(self, memory: Memory) -> list[Fact]:
        """Store two facts that answer the query equally well."""
        return memory.remember_many([TEA, COFFEE])

    def test_a_used_fact_comes_first_the_next_day(self, memory: Memory, clock: FakeClock) -> None:
        before = memory.recall(QUESTION)
        assert found(before) == [TEA, COFFEE]
        prompted(memory, "coffee")
        assert memory.recall(QUESTION) == before
        overnight(clock)
        assert found(memory.recall(QUESTION)) == [COFFEE, TEA]

    def test_the_reasons_tell_of_it(self, memory: Memory, clock: FakeClock) -> None:
        for question in ("coffee", "coffee at work", "the coffee machine"):
            prompted(memory, question)
        overnight(clock)
        first, second = memory.recall(QUESTION)
        assert 0 < first.why.factors["use"] < 0.02
        assert second.why.factors["use"] == 0

    def test_more_queries_and_days_count_more(self, memory: Memory, clock: FakeClock) -> None:
        shifts = []
        for question in ("coffee", "coffee", "where coffee?", "coffee"):
            prompted(memory, question)
            prompted(memory, question)
            overnight(clock)
            shifts.append(shift(memory.recall(QUESTION), COFFEE))
        assert shifts == sorted(set(shifts))
        assert shifts[-1] < 0.02

    def test_use_fades_and_is_forgotten(self, memory: Memory, clock: FakeClock) -> None:
        prompted(memory, "coffee")
        shifts = []
        for _ in range(4):
            clock.advance(days=KEPT // 4)
            shifts.append(shift(memory.recall(QUESTION), COFFEE))
        assert shifts == sorted(shifts, reverse=True)
        assert shifts[0] > shifts[-1] > 0
        clock.advance(days=KEPT)
        assert shift(memory.recall(QUESTION), COFFEE) == 0

    def test_no_use_lifts_poor_match_over_clear_one(self, memory: Memory, clock: FakeClock) -> None:
        clear, poor = memory.remember_many(
            ["the printer is on the second floor", "the floor of the cellar is wet"]
        )
        for day in range(10):
            for number in range(10):
                prompted(memory, f"wet cellar {day} {number}")
            overnight(clock)
        hits = memory.recall("where is the printer on the second floor?")
        assert hits[0].fact == clear
        assert shift(memory.recall("floor"), poor.text) > 0

    def test_it_counts_where_it_happened_and_below(self, memory: Memory, clock: FakeClock) -> None:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        prompted(ana, "coffee")
        prompted(memory.everything(), "coffee at work")
        overnight(clock)
        assert found(ana.recall(QUESTION)) == [COFFEE, TEA]
        assert found(ana.scoped(agent="coder").recall(QUESTION)) == [COFFEE, TEA]
        for reader in (memory, bob):
            assert found(reader.recall(QUESTION)) == [TEA, COFFEE]

    def test_noting_changes_no_record(self, memory: Memory) -> None:
        with unchanged(memory):
            prompted(memory, "coffee")

    def test_recalling_is_not_using(self, memory: Memory, clock: FakeClock) -> None:
        memory.recall("coffee")
        memory.flush()
        overnight(clock)
        assert shift(memory.recall(QUESTION), COFFEE) == 0

    def test_the_past_is_told_without_it(self, memory: Memory, clock: FakeClock) -> None:
        clock.advance(minutes=1)
        then = clock.now()
        before = memory.recall(QUESTION, known_at=then)
        prompted(memory, "coffee")
        overnight(clock)
        assert memory.recall(QUESTION, known_at=then) == before

    def test_a_used_fact_is_erased(
        self, memory: Memory, clock: FakeClock, drinks: list[Fact]
    ) -> None:
        prompted(memory, "coffee")
        memory.context("coffee at work")
        memory.facts.erase(drinks[1].id)
        memory.flush()
        overnight(clock)
        assert found(memory.recall(QUESTION)) == [TEA]
        assert memory.everything().audit.verify().ok

    @pytest.mark.usefixtures("drinks")
    def test_the_statistics_tell_when_facts_were_last_used(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        prompted(ana, "coffee and tea")
        first = clock.now().date()
        overnight(clock)
        prompted(bob, "coffee at work")
        assert ana.stats().used == {str(first): 2}
        assert memory.everything().stats().used == {str(first): 2, str(clock.now().date()): 1}
        assert memory.scoped(user="carl").stats().used == {}


def overnight(clock: FakeClock) -> None:
    """Move the clock by a day and a minute, because ages count in whole hours."""
    clock.advance(days=1, minutes=1)


def prompted(memory: Memory, query: str) -> None:
    memory.context(query)
    memory.flush()


def shift(hits: RecallHits, text: str) -> float:
    """Return the factor of use in the score of a hit."""
    [why] = [hit.why for hit in hits if hit.fact.text == text]
    return why.factors["use"]
