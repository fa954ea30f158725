"""The audit trail: it contains every change, and detects changes made without it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from erstwhile.bootstrap import assemble
from erstwhile.core.errors import StorageError
from erstwhile.core.ports import Engine, Result, Session
from erstwhile.core.scope import Viewer
from erstwhile.facts.fact import Fact
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, contents, paged


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


Change = Callable[[Memory, dict[str, Fact]], Any]

CHANGES: dict[str, Change] = {
    "remember": lambda memory, _: memory.remember(
        "new", entities=["Ana", "Zoe"], relations=[("Ana", "knows", "Zoe")], tags=["a", "b"]
    ),
    "repeat": lambda memory, _: memory.remember("live one", tags=["more"], entities=["Zoe"]),
    "remember_many": lambda memory, _: memory.remember_many(["new", "live one", "newer"]),
    "replace": lambda memory, facts: memory.facts.replace(facts["live"].id, "new", tags=["a"]),
    "replace by a twin": lambda memory, facts: memory.facts.replace(facts["live"].id, "Rome"),
    "set": lambda memory, _: memory.facts.set("city", "Oslo", valid_from="2026-01-01"),
    "retire": lambda memory, facts: memory.facts.retire(facts["live"].id, "wrong"),
    "undo": lambda memory, facts: memory.facts.undo(facts["replaced"].id),
    "confirm": lambda memory, facts: memory.facts.confirm(facts["live"].id),
    "pin": lambda memory, facts: memory.facts.pin(facts["live"].id),
    "unpin": lambda memory, facts: memory.facts.unpin(facts["live"].id),
    "delete": lambda memory, facts: memory.facts.delete(facts["live"].id),
    "restore": lambda memory, facts: memory.facts.restore(facts["deleted"].id),
    "purge": lambda memory, _: memory.facts.purge("0 days"),
    "erase": lambda memory, facts: memory.facts.erase(facts["live"].id, facts["deleted"].id),
    "alias": lambda memory, _: memory.entities.add_alias("Ana", "Annie", "Anna"),
    "unalias": lambda memory, _: memory.entities.remove_alias("Ana", "A.", "Aña"),
}


class AtomicityContract(Contract):
    @pytest.fixture
    def facts(self, memory: Memory, clock: FakeClock) -> dict[str, Fact]:
        """Store facts in every state, for the changes to work on."""
        facts = {
            "live": memory.remember("live one", entities=["Ana"], tags=["t"]),
            "replaced": memory.remember("old"),
            "deleted": memory.remember("gone", entities=["Bob"]),
            "Rome": memory.remember("Rome"),
        }
        memory.facts.replace(facts["replaced"].id, "newer one")
        memory.facts.delete(facts["deleted"].id)
        memory.facts.set("city", "Rome")
        memory.entities.add_alias("Ana", "A.", "Aña")
        clock.advance(days=1)
        return facts

    @pytest.mark.parametrize("change", CHANGES)
    def test_a_change_that_breaks_leaves_no_trace(
        self, memory: Memory, engine: Engine, clock: FakeClock, change: str, facts: dict[str, Fact]
    ) -> None:
        """It is broken after its first statement, after its second, and so on."""
        assert_whole(memory, engine, clock, lambda broken: CHANGES[change](broken, facts))


def assert_whole(
    memory: Memory, engine: Engine, clock: FakeClock, change: Callable[[Memory], Any]
) -> None:
    """Let a change fail at each of its statements in turn, and check that nothing changed."""
    before = contents(memory)
    for number in count(1):
        engine_that_breaks: Any = BreakingEngine(engine, number)
        broken = assemble(engine_that_breaks, clock, Viewer())
        try:
            change(broken)
        except StorageError:
            assert contents(memory) == before, f"broken at statement {number}"
            assert memory.audit.verify().ok
        else:
            break
    assert number > 2, "a change takes at least the row and its trace"
    assert contents(memory) != before
    assert memory.audit.verify().ok


class BreakingEngine:
    """An engine whose disk fails at the n-th changing statement of a write."""

    def __init__(self, engine: Engine, breaks_at: int) -> None:
        self._engine = engine
        self._breaks_at = breaks_at

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def write(self, work: Callable[[Any], Result]) -> Result:
        return self._engine.write(lambda session: work(_Breaking(session, self._breaks_at)))


class _Breaking:
    def __init__(self, session: Session, breaks_at: int) -> None:
        self._session = session
        self._left = breaks_at

    def __getattr__(self, name: str) -> Any:
        """Return a method of the session that breaks afterwards if it changes something."""
        method = getattr(self._session, name)
        if name not in ("run", "execute_async", "run_many"):
            return method

        def breaking(*given: Any) -> Any:
            done = method(*given)
            self._left -= 1
            if not self._left:
                raise StorageError("the disk is on fire")
            return done

        return breaking
