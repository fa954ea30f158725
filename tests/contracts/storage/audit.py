"""The audit trail: it contains every change, and detects changes made without it."""

from __future__ import annotations

import pytest

from erstwhile.core.ports import Engine
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, paged


class AuditContract(Contract):
    def test_every_change_is_on_the_trail(self, memory: Memory) -> None:
        """Newest first, with who, what and why."""
        one, two = memory.remember_many(["1", "2"])
        memory.remember("1")
        memory.facts.confirm(one.id, reason="sure")
        memory.facts.pin(one.id)
        memory.facts.unpin(one.id)
        three = memory.facts.replace(one.id, "3", reason="new")
        memory.facts.undo(one.id)
        memory.facts.retire(two.id, "wrong")
        memory.facts.delete(two.id)
        memory.facts.restore(two.id)
        memory.facts.erase(two.id)
        told = [(entry.action, entry.subject) for entry in memory.audit.list()][::-1]
        assert told == [
            ("remember", one.id), ("remember", two.id), ("repeat", one.id), ("confirm", one.id),
            ("pin", one.id), ("unpin", one.id), ("supersede", one.id), ("replace", three.id),
            ("retire", three.id), ("undo", one.id), ("retire", two.id), ("delete", two.id),
            ("restore", two.id), ("erase", two.id),
        ]  # fmt: skip
        verified = memory.audit.verify()
        assert (verified.ok, verified.entries) == (True, len(told))
        assert verified.records == 9

    def test_asking_leaves_no_trace(self, memory: Memory) -> None:
        """Reading, verifying and being refused are no changes."""
        fact = memory.remember("x", key="k", entities=["Ana"])
        before = memory.audit.list()
        memory.facts.get(fact.id)
        memory.facts.list(contains="x")
        memory.facts.history(fact.id)
        memory.facts.value("k")
        memory.entities.get("Ana")
        memory.stats()
        memory.audit.verify()
        assert memory.audit.list() == before

    def test_the_trail_can_be_narrowed(self, memory: Memory, clock: FakeClock) -> None:
        one = memory.remember("1")
        clock.advance(days=1)
        two = memory.remember("2")
        memory.facts.pin(one.id)
        listed = memory.audit.list
        assert [entry.action for entry in listed(subject=one.id)] == ["pin", "remember"]
        assert [entry.subject for entry in listed(action="remember")] == [two.id, one.id]
        assert [entry.subject for entry in listed(until="2026-03-02")] == [one.id]
        assert len(listed(since=two.recorded_at)) == 2
        assert listed(action="no such action").items == ()
        assert paged(listed) == list(listed())

    def test_entries_follow_one_another(self, memory: Memory) -> None:
        """Numbers and moments only grow."""
        for number in range(5):
            memory.remember(str(number))
        entries = memory.audit.list()[::-1]
        assert [entry.at for entry in entries] == sorted({entry.at for entry in entries})
        assert [entry.number for entry in entries] == sorted({entry.number for entry in entries})

    def test_erasing_keeps_the_chain_and_drops_the_words(self, memory: Memory) -> None:
        """The reasons that were given are gone, the steps are not."""
        fact = memory.remember("x")
        memory.facts.pin(fact.id, reason="the secret reason")
        memory.facts.erase(fact.id)
        entries = memory.audit.list(subject=fact.id)
        assert [(entry.action, entry.reason) for entry in entries] == [
            ("erase", None), ("pin", None), ("remember", None),
        ]  # fmt: skip
        assert memory.audit.verify().ok

    def test_an_empty_memory_verifies(self, memory: Memory) -> None:
        """Nothing happened, and nothing is wrong."""
        verified = memory.audit.verify()
        assert (verified.ok, verified.entries, verified.records) == (True, 0, 0)


# Changes made directly in the tables, and the problem that `verify` must report.
TAMPERINGS: dict[str, tuple[str, str]] = {
    "text": ("UPDATE facts SET text = 'forged' WHERE id = :fact", "changed without"),
    "confidence": ("UPDATE facts SET confidence = 0.5 WHERE id = :fact", "changed without"),
    "trust": ("UPDATE facts SET trust = 'quarantined' WHERE id = :fact", "changed without"),
    "validity": ("UPDATE facts SET valid_from = 0 WHERE id = :fact", "changed without"),
    "deletion": ("UPDATE facts SET deleted_at = 1 WHERE id = :fact", "changed without"),
    "scope": ("UPDATE facts SET scope = :other WHERE key = 'k'", "a state without an entry"),
    "stamp": ("UPDATE facts SET known_from = 1 WHERE id = :fact", "a state without an entry"),
    "old version": (
        "UPDATE fact_versions SET evidence = 9 WHERE id = :fact", "changed without",
    ),
    "lost version": ("DELETE FROM fact_versions WHERE id = :fact", "has disappeared"),
    "reason": ("UPDATE audit SET reason = 'forged' WHERE action = 'pin'", "changed without"),
    "actor": ("UPDATE audit SET actor = 'nobody' WHERE action = 'pin'", "was altered"),
    "action": ("UPDATE audit SET action = 'unpin' WHERE action = 'pin'", "was altered"),
    "time": ("UPDATE audit SET at = at + 1 WHERE action = 'pin'", "was altered"),
    "lost entry": ("DELETE FROM audit WHERE action = 'pin'", "are missing"),
    "lost last entry": ("DELETE FROM audit WHERE action = 'confirm'", "cut or extended"),
    "moved head": (
        "UPDATE scopes SET head_seq = head_seq - 1 WHERE scope_user = ''", "cut or extended",
    ),
    "lost nonce": ("UPDATE audit SET nonce = NULL WHERE action = 'pin'", "changed without"),
}  # fmt: skip


class TamperingContract(Contract):
    @pytest.mark.parametrize("tampering", TAMPERINGS)
    def test_a_change_behind_the_trail_shows(
        self, memory: Memory, engine: Engine, tampering: str
    ) -> None:
        memory.scoped(user="bob").remember("another scope")
        fact = memory.remember("x", key="k")
        memory.scoped(user="bob").remember("and one more")
        memory.facts.pin(fact.id, reason="it matters")
        memory.facts.confirm(fact.id)
        assert memory.everything().audit.verify().ok
        statement, said = TAMPERINGS[tampering]
        others = "SELECT id FROM scopes WHERE scope_user = 'bob'"
        [(other,)] = engine.read(lambda session: session.rows(others, {}))
        params = {"fact": fact.id, "other": other}
        changed = engine.write(lambda session: session.run(statement, params))
        assert changed >= 1
        problems = memory.everything().audit.verify().problems
        assert any(said in problem for problem in problems), problems

    def test_a_fact_that_nobody_told_of_shows(self, memory: Memory, engine: Engine) -> None:
        """Every stored state needs its entry."""
        fact = memory.remember("x")
        engine.write(
            lambda session: session.run(
                "DELETE FROM audit WHERE subject = :fact", {"fact": fact.id}
            )
        )
        problems = memory.audit.verify().problems
        assert any("a state without an entry" in problem for problem in problems)

    def test_another_scope_s_damage_is_not_told(self, memory: Memory, engine: Engine) -> None:
        """Each scope has a chain of its own, and verifies what it can see."""
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        ana.remember("ana's")
        fact = bob.remember("bob's")
        forge = "UPDATE facts SET text = 'forged' WHERE id = :fact"
        engine.write(lambda session: session.run(forge, {"fact": fact.id}))
        assert ana.audit.verify().ok
        assert not bob.audit.verify().ok
        assert not memory.everything().audit.verify().ok
