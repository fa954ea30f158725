"""A question may name an event that bounds a period: "before she moved", "since the wedding"."""

from __future__ import annotations

import pytest

from erstwhile.facts.fact import Fact
from erstwhile.memory import Memory
from tests.contracts.base import Contract, found


def tell_life(memory: Memory) -> Fact:
    """Store where somebody worked, and return the day on which she moved."""
    memory.remember("Ana works at Lumen", key="job", valid_from="2020-01-01")
    memory.remember("Ana works at Nordlicht", key="job", valid_from="2023-06-01")
    return memory.remember("Ana moved to Berlin", kind="event", valid_from="2023-05-01")


class RecallAnchorContract(Contract):
    def test_what_was_true_before_an_event_is_found(self, memory: Memory) -> None:
        moved = tell_life(memory)
        hits = memory.recall("Where did Ana work before she moved to Berlin?")
        lumen = next(hit for hit in hits if hit.fact.text == "Ana works at Lumen")
        later = next(hit for hit in hits if hit.fact.text == "Ana works at Nordlicht")
        assert lumen.why.factors["period"] > 0 > later.why.factors["period"]
        assert hits.trace.anchor == moved.id
        assert hits.trace.period is not None
        assert hits.trace.period[1] == moved.valid_from
        why = memory.why_not("Where did Ana work before she moved to Berlin?", lumen.fact.id)
        assert why.reason == "returned"

    def test_what_came_after_it_counts_more(self, memory: Memory) -> None:
        tell_life(memory)
        memory.remember("Ana plays tennis at work", valid_from="2022-01-01")
        hits = memory.recall("Where did Ana work since she moved to Berlin?")
        shifts = {hit.fact.text: hit.why.factors["period"] for hit in hits}
        assert shifts["Ana works at Nordlicht"] > 0 > shifts["Ana plays tennis at work"]

    def test_a_message_tells_the_time_of_an_event_too(self, memory: Memory) -> None:
        memory.remember("Ana works at Lumen", key="job", valid_from="2020-01-01")
        memory.remember("Ana works at Nordlicht", key="job", valid_from="2023-06-01")
        said = memory.conversations.add("user", "I moved to Berlin", said_at="2023-05-01")
        hits = memory.recall("Where did Ana work before she moved to Berlin?")
        assert "Ana works at Lumen" in found(hits)
        assert hits.trace.anchor == said.id

    @pytest.mark.parametrize("event", ["before the earthquake", "before she moved to Oslo in 2024"])
    def test_an_unknown_event_and_a_date_change_nothing(self, memory: Memory, event: str) -> None:
        tell_life(memory)
        assert memory.recall(f"Where did Ana work {event}?").trace.anchor is None

    def test_other_scopes_tell_no_times(self, memory: Memory) -> None:
        tell_life(memory.scoped(user="ana"))
        memory.scoped(user="bob").remember("Bob works at Lumen")
        hits = memory.scoped(user="bob").recall("Where did Bob work before Ana moved to Berlin?")
        assert hits.trace.anchor is None
