"""External sessions: one id per channel and exact scope."""

from __future__ import annotations

import pytest

from erstwhile.core.errors import InvalidInputError, ScopeError, TooLargeError
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, paged, unchanged


class SessionsContract(Contract):
    def test_an_id_is_stored_per_channel_and_scope(self, memory: Memory) -> None:
        """A project does not inherit the session of its user."""
        ana = memory.scoped(user="ana")
        shop = ana.scoped(project="shop")
        ana.sessions.set("a1")
        ana.sessions.set("a2", channel="mail")
        shop.sessions.set("s1")
        assert (ana.sessions.get(), ana.sessions.get(channel="mail")) == ("a1", "a2")
        assert (shop.sessions.get(), shop.sessions.get(channel="mail")) == ("s1", None)
        assert memory.sessions.get() is None
        assert memory.scoped(user="bob").sessions.get() is None

    def test_a_new_id_replaces_the_old_one(self, memory: Memory, clock: FakeClock) -> None:
        first = memory.sessions.set("1")
        clock.advance(minutes=1)
        second = memory.sessions.set("2")
        assert (second.id, second.session_id) == (first.id, "2")
        assert second.set_at > first.set_at
        assert list(memory.sessions.list()) == [second]
        assert memory.audit.verify().ok

    def test_clear_removes_ids_and_returns_the_count(self, memory: Memory) -> None:
        """It removes one channel, or all channels of exactly this scope."""
        ana = memory.scoped(user="ana")
        for place in (memory, ana):
            for channel in ("a", "b", "c"):
                place.sessions.set("x", channel=channel)
        assert ana.sessions.clear(channel="a") == 1
        assert ana.sessions.clear(channel="a") == 0
        assert ana.sessions.clear() == 2
        assert [each.channel for each in paged(ana.sessions.list)] == ["c", "b", "a"]
        assert {each.scope for each in ana.sessions.list()} == {memory.scope}
        assert memory.sessions.set("y", channel="a").session_id == "y"
        assert memory.everything().audit.verify().ok

    def test_erasing_a_session_blanks_its_audit_entries(self, memory: Memory) -> None:
        memory.sessions.set("x")
        receipt = memory.sessions.erase()
        assert (receipt.sessions, receipt.audit_entries) == (1, 1)
        assert memory.sessions.get() is None
        assert memory.audit.verify().ok

    def test_bad_input_is_refused(self, memory: Memory) -> None:
        """An administrator's view has no scope for a session."""
        with unchanged(memory):
            for bad, error in (("", InvalidInputError), ("x" * 1_001, TooLargeError)):
                with pytest.raises(error):
                    memory.sessions.set(bad)
            with pytest.raises(InvalidInputError):
                memory.sessions.get(channel="\n")
            for call in (
                lambda: memory.everything().sessions.set("x"),
                lambda: memory.everything().sessions.get(),
                lambda: memory.everything().sessions.clear(),
            ):
                with pytest.raises(ScopeError, match="administrator"):
                    call()
