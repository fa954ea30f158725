"""Every change is atomic: if its transaction fails at any statement, nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import pytest

from erstwhile.bootstrap import assemble
from erstwhile.core.errors import StorageError
from erstwhile.core.ports import Engine, Params, Result, Row, Session
from erstwhile.core.scope import Viewer
from erstwhile.facts.fact import Fact
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, contents

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
        broken = assemble(BreakingEngine(engine, number), clock, Viewer())
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
        self.dialect, self.space = engine.dialect, engine.space
        self.read_only = engine.read_only
        self.read, self.compact, self.close = engine.read, engine.compact, engine.close
        self.tidy = engine.tidy
        self.size, self.schema = engine.size, engine.schema
        self.listen, self.announce = engine.listen, engine.announce

    def write(self, work: Callable[[Session], Result]) -> Result:
        return self._engine.write(lambda session: work(_Breaking(session, self._breaks_at)))


class _Breaking:
    def __init__(self, session: Session, breaks_at: int) -> None:
        self._session = session
        self._left = breaks_at

    def rows(self, statement: str, params: Params) -> list[Row]:
        return self._session.rows(statement, params)

    def ahead(self, statement: str, params: Params) -> Callable[[], list[Row]]:
        return self._session.ahead(statement, params)

    def take_turn(self, scope: Sequence[str] | None) -> None:
        self._session.take_turn(scope)

    def run(self, statement: str, params: Params) -> int:
        changed = self._session.run(statement, params)
        self._count()
        return changed

    def send(self, statement: str, params: Params) -> None:
        self._session.send(statement, params)
        self._count()

    def run_many(self, statement: str, many: Sequence[Params]) -> None:
        self._session.run_many(statement, many)
        self._count()

    def _count(self) -> None:
        self._left -= 1
        if not self._left:
            raise StorageError("the disk is on fire")
