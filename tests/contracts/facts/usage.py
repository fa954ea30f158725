"""Use: facts that prompts contained on earlier days rank a little higher."""

from __future__ import annotations

import pytest

from erstwhile.facts.fact import Fact
from erstwhile.facts.usage_signals import KEPT
from erstwhile.memory import Memory
from erstwhile.recall.hits import RecallHits
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, found, unchanged

QUESTION = "what does Ana drink?"
TEA, COFFEE = "Ana drinks tea at home", "Ana drinks coffee at work"


class UsesContract(Contract):
    @pytest.fixture(autouse=True)
    def drinks(self, memory: Memory) -> list[Fact]:
        """Store two facts that answer the query equally well."""
        return memory.remember_many([TEA, COFFEE])

    def test_a_fact_that_prompts_got_comes_first_from_the_next_day_on(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """One prompt does not reorder the next: within a day equal questions get equal answers."""
        before = memory.recall(QUESTION)
        assert found(before) == [TEA, COFFEE]
        prompted(memory, "coffee")
        assert memory.recall(QUESTION) == before
        overnight(clock)
        assert found(memory.recall(QUESTION)) == [COFFEE, TEA]

    def test_the_reasons_tell_of_it(self, memory: Memory, clock: FakeClock) -> None:
        """Unused is neutral: nothing is made of what is not known."""
        for question in ("coffee", "coffee at work", "the coffee machine"):
            prompted(memory, question)
        overnight(clock)
        first, second = memory.recall(QUESTION)
        assert 0 < first.why.factors["use"] < 0.02
        assert second.why.factors["use"] == 0

    def test_more_questions_and_more_days_count_more(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """The same question again on the same day counts once, however often it is asked."""
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

    def test_no_use_lifts_a_poor_match_over_a_clear_one(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """A few planted facts that every prompt got stay where they belong."""
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
        """What one user reads changes nothing for another, and an administrator's look nothing."""
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
        """A look, a test or a tool must not teach: what counts is what a prompt got."""
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

    def test_a_used_fact_can_be_erased(
        self, memory: Memory, clock: FakeClock, drinks: list[Fact]
    ) -> None:
        prompted(memory, "coffee")
        memory.context("coffee at work")
        memory.facts.erase(drinks[1].id)
        memory.flush()
        overnight(clock)
        assert found(memory.recall(QUESTION)) == [TEA]
        assert memory.everything().audit.verify().ok


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
