"""Limitations: open once per title, resolved, and opened again."""

from __future__ import annotations

import pytest

from erstwhile.core.errors import ConflictError, ScopeError
from erstwhile.memory import Memory
from erstwhile.records.model import LimitationStatus
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, unchanged


class LimitationsContract(Contract):
    def test_a_title_is_open_once(self, memory: Memory, clock: FakeClock) -> None:
        """A repeated report is counted. It fills in missing details, and changes no others."""
        first = memory.limitations.add("Cannot send mail", description="no SMTP")
        clock.advance(days=1)
        again = memory.limitations.add("cannot  SEND mail", description="else", plan="ask Ana")
        assert (again.id, again.title, again.reports) == (first.id, "Cannot send mail", 2)
        assert (again.description, again.plan) == ("no SMTP", "ask Ana")
        assert (again.created_at, again.reported_at) == (first.created_at, clock.now())
        assert list(memory.limitations.list()) == [again]

    def test_the_same_title_in_another_scope_is_another(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        assert memory.limitations.add("x").reports == ana.limitations.add("x").reports == 1
        assert len(ana.limitations.list()) == 2

    def test_a_resolved_limitation_can_be_added_again(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """A new one is opened; the old one stays resolved."""
        first = memory.limitations.add("x")
        clock.advance(days=1)
        done = memory.limitations.resolve(first.id, resolution="there is a tool now")
        assert (done.status, done.resolved_at) == (LimitationStatus.RESOLVED, clock.now())
        assert done.resolution == "there is a tool now"
        assert not memory.limitations.list()
        again = memory.limitations.add("X")
        assert (again.id != first.id, again.reports, again.status) == (True, 1, "open")
        assert list(memory.limitations.list()) == [again]
        assert list(memory.limitations.list(status="resolved")) == [done]
        assert list(memory.limitations.list(status="any")) == [again, done]

    def test_resolving_twice_is_a_conflict(self, memory: Memory) -> None:
        limitation = memory.limitations.add("x")
        memory.limitations.resolve(limitation.id)
        with unchanged(memory), pytest.raises(ConflictError, match="resolved already"):
            memory.limitations.resolve(limitation.id)

    def test_resolving_needs_the_exact_scope(self, memory: Memory) -> None:
        limitation = memory.limitations.add("x")
        with unchanged(memory), pytest.raises(ScopeError):
            memory.scoped(user="ana").limitations.resolve(limitation.id)

    def test_restoring_is_refused_while_another_is_open(self, memory: Memory) -> None:
        """A resolved one is no obstacle."""
        first = memory.limitations.add("x")
        memory.limitations.delete(first.id)
        second = memory.limitations.add("x")
        assert second.id != first.id
        with unchanged(memory), pytest.raises(ConflictError, match="is open"):
            memory.limitations.restore(first.id)
        memory.limitations.resolve(second.id)
        assert memory.limitations.restore(first.id).status == "open"

    def test_each_step_is_on_the_trail(self, memory: Memory) -> None:
        limitation = memory.limitations.add("x")
        memory.limitations.add("x")
        memory.limitations.resolve(limitation.id)
        actions = [entry.action for entry in memory.audit.list(subject=limitation.id)]
        assert actions == ["limitation.resolve", "limitation.report", "limitation.add"]
        assert memory.audit.verify().ok
