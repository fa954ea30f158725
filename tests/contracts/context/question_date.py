"""A question can be asked as of its own date: what lies later is not there."""

from __future__ import annotations

import pytest

from erstwhile.core.errors import InvalidInputError
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract
from tests.contracts.context.sections import texts

SAID = "I was at the harbour festival"


class QuestionDateContract(Contract):
    def test_a_context_knows_nothing_later(self, memory: Memory, clock: FakeClock) -> None:
        """In no section."""
        early = memory.conversations.add("user", f"{SAID} in Porto")
        memory.remember("Ana lives in Porto", key="city", value="Porto")
        memory.remember("Ana works at the harbour", valid_from=clock.now())
        date = clock.advance(days=1)
        clock.advance(minutes=5)
        memory.conversations.add("user", f"{SAID} in Lisbon", conversation=early.conversation)
        memory.remember("Ana lives in Lisbon", key="city", value="Lisbon")
        memory.remember("Ana left the harbour")
        memory.blocks.add("notes", "Lisbon is large")
        memory.lessons.add("trips", "Take the train to Lisbon")
        memory.tasks.add("Pack for Lisbon", due="in 1 day")
        memory.outcomes.add("trips", 1, note="Lisbon was fine")
        query, of = "harbour festival", early.conversation
        then = memory.context(query, now=date, conversation=of).text
        assert "Porto" in then
        assert "works at the harbour" in then
        assert not any(word in then for word in ("Lisbon", "left"))
        assert "Lisbon" in memory.context(query, conversation=of).text

    def test_periods_are_relative_to_the_date(self, memory: Memory, clock: FakeClock) -> None:
        """In contexts, in recall and in the search of messages."""
        for place in ("Porto", "Lisbon", "Faro"):
            memory.conversations.add("user", f"{SAID} in {place}")
            memory.remember(f"Ana was at a festival in {place}", kind="event")
            clock.advance(days=30)
        question, date = "which festival was last week?", "55 days ago"
        made = memory.context(question, needs=("facts",), now=date)
        assert [text.split()[-1] for text in texts(made)] == ["Porto", "Lisbon"]
        found = memory.recall(question, now=date, floor=0)
        assert [hit.fact.text.split()[-1] for hit in found] == ["Lisbon", "Porto"]
        said = memory.conversations.search(question, now=date, floor=0)
        assert [hit.message.content.split()[-1] for hit in said] == ["Lisbon", "Porto"]

    def test_the_day_of_the_question_is_a_date_like_others(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        date = clock.now()
        memory.remember("Ana was at the festival in Faro", kind="event")
        heading = date.date().isoformat()
        assert heading not in memory.context("which festival?").text
        clock.advance(days=3)
        assert heading in memory.context("which festival?", now=date).text

    def test_a_wrong_date_names_the_argument(self, memory: Memory) -> None:
        for ask in (memory.recall, memory.context, memory.conversations.search):
            with pytest.raises(InvalidInputError, match="now is not a time"):
                ask("festival", now="soon")
        with pytest.raises(InvalidInputError, match="give one of them"):
            memory.recall("festival", now="2025-01-01", as_of="2025-02-01")

    def test_an_ended_fact_is_found_by_its_period(self, memory: Memory) -> None:
        """A period before the date of the question names what was true then."""
        memory.remember("Ana lives in Porto", key="city", valid_from="2023-01-01")
        memory.remember("Ana lives in Lisbon", key="city", valid_from="2024-01-01")
        memory.remember("Ana lives in Faro", key="city", valid_from="2025-01-01")
        hits = memory.recall("Where did Ana live in 2023?", now="2024-06-01")
        assert [hit.fact.text for hit in hits] == ["Ana lives in Porto", "Ana lives in Lisbon"]
