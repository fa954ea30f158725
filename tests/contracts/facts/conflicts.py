"""Conflicts: two facts that may contradict each other stay live until one is chosen."""

from __future__ import annotations

import pytest

from erstwhile.core.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    RefusedError,
    ScopeError,
)
from erstwhile.core.kinds import Ending, State
from erstwhile.facts.conflict import Conflict, note_conflict
from erstwhile.facts.fact import Fact
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, inside, paged, texts, unchanged


def clash(memory: Memory, fact: Fact, *others: Fact, reason: str = "same subject") -> Conflict:
    noted = inside(memory).change(lambda unit: note_conflict(unit, fact, others, reason))
    return noted[0]


def tea(memory: Memory) -> tuple[Fact, Fact, Conflict]:
    older, newer = memory.remember("the tea is green"), memory.remember("the tea is black")
    return older, newer, clash(memory, newer, older)


class ConflictsContract(Contract):
    def test_a_conflict_shows_both_facts(self, memory: Memory) -> None:
        older, newer, conflict = tea(memory)
        assert (conflict.older, conflict.newer, conflict.reason) == (older, newer, "same subject")
        assert (conflict.settled_at, conflict.kept, conflict.moot) == (None, None, False)
        assert memory.conflicts.get(conflict.short_id) == conflict
        assert list(memory.conflicts.list()) == [conflict]
        assert len(memory.conflicts.list(settled=True)) == 0
        assert texts(memory.facts.list()) == [newer.text, older.text]

    def test_a_pair_is_noted_once(self, memory: Memory) -> None:
        older, newer, conflict = tea(memory)
        assert clash(memory, older, newer, reason="else") == conflict
        settled = memory.conflicts.settle(conflict.id)
        assert clash(memory, newer, older) == settled
        assert len(memory.conflicts.list()) == 0

    def test_a_fact_may_clash_with_several(self, memory: Memory) -> None:
        facts = memory.remember_many(["tea is green", "tea is red", "tea is white", "tea is black"])
        clash(memory, facts[-1], *facts[:-1])
        assert len(memory.conflicts.list()) == 3
        assert paged(memory.conflicts.list) == list(memory.conflicts.list())

    def test_settling_supersedes_the_other(self, memory: Memory, clock: FakeClock) -> None:
        older, newer, conflict = tea(memory)
        clock.advance(days=1)
        settled = memory.conflicts.settle(conflict.id, newer.short_id, reason="Ana said so")
        assert (settled.kept, settled.resolution) == (newer.id, "Ana said so")
        assert settled.settled_at == clock.now()
        assert (settled.older.superseded_by, settled.newer.supersedes) == (newer.id, (older.id,))
        assert settled.older.ending is Ending.SUPERSEDED
        assert settled.older.valid_to == newer.valid_from
        assert texts(memory.facts.list()) == [newer.text]
        assert list(memory.conflicts.list(settled=True)) == [settled]
        assert len(memory.conflicts.list()) == 0
        assert [change.reason for change in memory.facts.history(older.id)][-1] == "Ana said so"
        assert memory.audit.list(subject=conflict.id)[0].action == "conflict.settle"
        assert memory.audit.verify().ok

    def test_the_older_may_be_kept(self, memory: Memory) -> None:
        older, newer, conflict = tea(memory)
        settled = memory.conflicts.settle(conflict.id, older.id)
        assert texts(memory.facts.list()) == [older.text]
        assert settled.newer.valid_to == newer.valid_from
        assert settled.older.supersedes == (newer.id,)

    def test_settling_can_be_undone_like_any_retirement(self, memory: Memory) -> None:
        older, newer, conflict = tea(memory)
        memory.conflicts.settle(conflict.id, newer.id)
        memory.facts.undo(older.id)
        assert texts(memory.facts.list()) == [newer.text, older.text]
        assert memory.facts.get(newer.id).supersedes == ()

    @pytest.mark.parametrize("keep", ["older", "newer", None])
    def test_a_settlement_can_be_undone(self, memory: Memory, keep: str | None) -> None:
        older, newer, conflict = tea(memory)
        memory.conflicts.settle(conflict.id, keep and getattr(conflict, keep).id)
        opened = memory.conflicts.undo(conflict.id, reason="a slip")
        assert (opened.settled_at, opened.kept, opened.moot) == (None, None, False)
        assert list(memory.conflicts.list()) == [opened]
        assert texts(memory.facts.list()) == [newer.text, older.text]
        assert {each.superseded_by for each in memory.facts.list()} == {None}
        entry = memory.audit.list(subject=conflict.id)[0]
        assert (entry.action, entry.reason) == ("conflict.undo", "a slip")
        with unchanged(memory), pytest.raises(ConflictError, match="is open"):
            memory.conflicts.undo(conflict.id)
        assert memory.conflicts.settle(conflict.id, newer.id).kept == newer.id
        assert memory.audit.verify().ok

    def test_undoing_a_settlement_keeps_what_happened_since(self, memory: Memory) -> None:
        older, newer, conflict = tea(memory)
        memory.conflicts.settle(conflict.id, newer.id)
        memory.facts.undo(older.id)
        memory.facts.retire(older.id, "wrong")
        assert memory.conflicts.undo(conflict.id).moot
        assert texts(memory.facts.list()) == [newer.text]

    def test_both_may_stay(self, memory: Memory) -> None:
        older, newer, conflict = tea(memory)
        settled = memory.conflicts.settle(conflict.id, reason="two teas")
        assert (settled.kept, settled.older, settled.newer) == (None, older, newer)
        assert memory.facts.count() == 2

    def test_settling_is_refused(self, memory: Memory) -> None:
        older, _, conflict = tea(memory)
        other = memory.remember("x")
        for keep in (other.id, older.id[:2]):
            with unchanged(memory), pytest.raises(InvalidInputError, match="one of the two"):
                memory.conflicts.settle(conflict.id, keep)
        older, _, conflict = tea(memory)
        memory.conflicts.settle(conflict.id)
        with unchanged(memory), pytest.raises(ConflictError, match="already settled"):
            memory.conflicts.settle(conflict.id, older.id)

    @pytest.mark.parametrize("way", ["retire", "delete"])
    def test_a_conflict_with_what_is_gone_is_moot(self, memory: Memory, way: str) -> None:
        """It says so; what is gone cannot be kept, and keeping the other changes no fact."""
        older, newer, conflict = tea(memory)
        if way == "retire":
            memory.facts.retire(older.id, "wrong")
        else:
            memory.facts.delete(older.id)
        assert memory.conflicts.list()[0].moot
        with unchanged(memory), pytest.raises(ConflictError, match="is not true now"):
            memory.conflicts.settle(conflict.id, older.id)
        settled = memory.conflicts.settle(conflict.id, newer.id)
        assert (settled.newer, settled.kept) == (newer, newer.id)

    def test_what_is_quarantined_ends_nothing_that_is_trusted(self, memory: Memory) -> None:
        older = memory.remember("pay Ana")
        newer = memory.remember("pay Mallory", origin="web")
        conflict = clash(memory, newer, older)
        with unchanged(memory), pytest.raises(RefusedError, match="quarantined"):
            memory.conflicts.settle(conflict.id, newer.id)
        memory.quarantine.approve(newer.id)
        assert (
            memory.conflicts.settle(conflict.id, newer.id).older.state_at(newer.recorded_at)
            is State.RETIRED
        )

    def test_settling_needs_the_exact_scope(self, memory: Memory) -> None:
        shared, ana = memory.remember("the tea is green"), memory.scoped(user="ana")
        hers = ana.remember("the tea is black")
        conflict = clash(ana, hers, shared)
        assert len(memory.conflicts.list()) == 0
        assert list(ana.scoped(agent="coder").conflicts.list()) == [conflict]
        with unchanged(memory), pytest.raises(ScopeError):
            ana.scoped(agent="coder").conflicts.settle(conflict.id)
        with unchanged(memory), pytest.raises(ScopeError):
            ana.conflicts.settle(conflict.id, hers.id)
        assert ana.conflicts.settle(conflict.id, shared.id).kept == shared.id
        assert texts(ana.facts.list()) == [shared.text]
        assert memory.facts.get(shared.id) == shared

    def test_erasing_a_fact_erases_its_conflicts(self, memory: Memory) -> None:
        for place in (0, 1):
            *pair, conflict = tea(memory)
            assert memory.facts.erase(pair[place].id).records == 1
            with pytest.raises(NotFoundError):
                memory.conflicts.get(conflict.id)
            assert memory.facts.get(pair[1 - place].id) == pair[1 - place]
            memory.facts.erase(pair[1 - place].id)
        assert memory.audit.verify().ok
