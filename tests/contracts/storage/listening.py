"""Listeners of changes: told after the commit, only of what their scope sees."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from threading import Event

import pytest

from erstwhile.core.errors import NotFoundError
from erstwhile.memory import Memory
from erstwhile.storage.change_listeners import MemoryChange
from tests.contracts.base import Contract

SOON = 20.0


class ListeningContract(Contract):
    def test_a_listener_is_told_of_each_stored_change_in_its_order(self, memory: Memory) -> None:
        told = SimpleQueue[MemoryChange]()
        memory.on_change(told.put)
        fact = memory.remember("Ana likes tea")
        with pytest.raises(NotFoundError):
            memory.facts.delete("00000000-0000-7000-8000-000000000000")
        memory.facts.delete(fact.id)
        changes = [told.get(timeout=SOON) for _ in range(2)]
        assert [change.action for change in changes] == ["remember", "delete"]
        assert {change.subject for change in changes} == {fact.id}
        assert changes[0].at == fact.known_from
        assert "tea" not in str(changes[0].to_dict())

    def test_a_listener_hears_only_what_its_scope_sees(self, memory: Memory) -> None:
        told = SimpleQueue[MemoryChange]()
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        ana.on_change(told.put)
        bob.remember("Bob likes milk")
        hers = ana.remember("Ana likes tea")
        assert told.get(timeout=SOON).subject == hers.id

    def test_a_slow_or_broken_listener_changes_nothing_for_writers(self, memory: Memory) -> None:
        going, told = Event(), SimpleQueue[str]()

        def broken(_change: MemoryChange) -> None:
            going.wait(SOON)
            raise ValueError

        memory.on_change(broken)
        memory.on_change(lambda change: told.put(change.subject))
        facts = [memory.remember(text).id for text in ("one", "two")]
        assert memory.facts.count() == 2
        going.set()
        assert [told.get(timeout=SOON) for _ in facts] == facts

    def test_a_listener_can_unsubscribe(self, memory: Memory) -> None:
        first, second = SimpleQueue[MemoryChange](), SimpleQueue[MemoryChange]()
        unsubscribe = memory.on_change(first.put)
        memory.on_change(second.put)
        unsubscribe()
        unsubscribe()
        memory.remember("Ana likes tea")
        second.get(timeout=SOON)
        with pytest.raises(Empty):
            first.get_nowait()
