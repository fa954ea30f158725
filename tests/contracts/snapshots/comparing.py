"""Snapshots: naming a moment, and comparing two."""

from __future__ import annotations

import pytest

from erstwhile import ConflictError, InvalidInputError, NotFoundError, PurgedError, ScopeError
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, paged, texts, unchanged


class SnapshotsContract(Contract):
    @pytest.fixture
    def ana(self, memory: Memory, clock: FakeClock) -> Memory:
        """Know three facts and a block, and give a name to this moment."""
        ana = memory.scoped(user="ana")
        ana.facts.set("city", "Paris")
        ana.remember("Ana drinks tea")
        ana.remember("Ana is ill", kind="state", expires_at="in 1 day")
        ana.blocks.add("notes", "one")
        clock.advance(minutes=1)
        ana.snapshots.create("start", description="before the move")
        clock.advance(minutes=1)
        return ana

    def test_a_snapshot_is_a_named_moment(self, ana: Memory, clock: FakeClock) -> None:
        [snapshot] = ana.snapshots.list()
        assert snapshot == ana.snapshots.get("start")
        assert (snapshot.description, snapshot.scope) == ("before the move", ana.scope)
        assert snapshot.at == snapshot.created_at < clock.now()
        earlier = ana.snapshots.create("earlier", at="5 minutes ago")
        assert earlier.at < snapshot.at
        assert [each.name for each in paged(ana.snapshots.list)] == ["earlier", "start"]
        assert ana.audit.verify().ok

    def test_names_are_unique_in_a_scope(self, memory: Memory, ana: Memory) -> None:
        with unchanged(memory), pytest.raises(ConflictError, match="already exists"):
            ana.snapshots.create("start")
        memory.snapshots.create("start")
        assert ana.snapshots.get("start").scope == ana.scope
        with pytest.raises(ConflictError, match="several scopes"):
            memory.everything().snapshots.get("start")

    def test_a_deleted_snapshot_is_created_again_with_its_moment(self, ana: Memory) -> None:
        gone = ana.snapshots.delete("start", reason="done")
        assert ana.snapshots.list(deleted=True).items == (gone,)
        with pytest.raises(NotFoundError) as caught:
            ana.snapshots.get("start")
        assert gone.at.isoformat() in caught.value.remedy
        assert ana.snapshots.create("start", at=gone.at).at == gone.at
        assert len(ana.snapshots.erase("start").ids) == 1
        assert ana.snapshots.purge("0 days").ids == (gone.id,)
        assert ana.audit.verify().ok

    @input_check
    def test_bad_input_is_refused(self, memory: Memory, ana: Memory) -> None:
        with unchanged(memory):
            for name in ("", " ", "a\nb", "x" * 151, 7):
                with pytest.raises(InvalidInputError):
                    ana.snapshots.create(name)  # type: ignore[arg-type]
            with pytest.raises(InvalidInputError, match="future"):
                ana.snapshots.create("later", at="in 1 day")
            with pytest.raises(ScopeError, match="scope"):
                memory.everything().snapshots.create("all")
            with pytest.raises(InvalidInputError, match="no name"):
                ana.snapshots.erase()

    def test_a_difference_says_what_was_learned_changed_and_ended(
        self, ana: Memory, clock: FakeClock
    ) -> None:
        tea = ana.facts.find("Ana drinks tea")
        ana.facts.set("city", "London")
        ana.facts.set("city", "Rome")
        ana.facts.pin(tea.id)
        ana.facts.delete(ana.remember("Ana owns a cat").id)
        ana.remember("Ana owns a dog")
        ana.blocks.append("notes", "two")
        ana.blocks.add("plans", "travel")
        found = ana.snapshots.diff("start")
        assert texts(found.learned) == ["Ana owns a dog"]
        moved, pinned = found.changed
        assert (moved.before.text, moved.after.text, moved.fields) == ("Paris", "Rome", ())
        assert (pinned.after.id, pinned.fields) == (tea.id, ("pinned",))
        assert (found.ended, found.deleted) == ((), ())
        assert [block.name for block in found.blocks_added] == ["plans"]
        assert [pair.after.content for pair in found.blocks_changed] == ["one\ntwo"]
        ana.blocks.delete("notes")
        ana.facts.retire(tea.id, "superseded")
        clock.advance(days=2)
        found = ana.snapshots.diff("start")
        assert texts(found.ended) == ["Ana drinks tea", "Ana is ill"]
        assert [fact.ending for fact in found.ended] == ["superseded", "expired"]
        assert [block.name for block in found.blocks_deleted] == ["notes"]

    def test_two_snapshots_are_compared_in_the_order_of_their_moments(
        self, ana: Memory, clock: FakeClock
    ) -> None:
        ana.facts.set("city", "London")
        ana.snapshots.create("end")
        clock.advance(minutes=1)
        ana.facts.set("city", "Rome")
        found = ana.snapshots.diff("end", "start")
        assert found == ana.snapshots.diff("start", "end")
        [pair] = found.changed
        assert (pair.before.text, pair.after.text) == ("Paris", "London")
        assert ana.snapshots.diff("end", "end").is_empty

    def test_the_report_has_the_texts_but_not_of_deleted_facts(self, ana: Memory) -> None:
        ana.facts.delete(ana.facts.find("Ana drinks tea").id)
        ana.facts.set("city", "*Rome*")
        ana.blocks.append("notes", "```")
        report = ana.snapshots.diff("start").report
        assert "## Changed (1)\n\n- Paris → \\*Rome\\*" in report
        assert "## Deleted (1)" in report
        assert "tea" not in report
        assert "````diff" in report
        assert "Ended" not in report

    def test_only_exactly_the_scope_of_a_snapshot_is_compared(
        self, memory: Memory, ana: Memory
    ) -> None:
        memory.remember("shared")
        ana.scoped(project="shop").remember("narrower")
        assert ana.snapshots.diff("start").is_empty
        memory.snapshots.create("shared")
        with pytest.raises(InvalidInputError, match="two scopes"):
            ana.snapshots.diff("start", "shared")
        with pytest.raises(NotFoundError):
            memory.scoped(user="bob").snapshots.diff("start")

    def test_a_purged_history_is_an_error(self, ana: Memory, clock: FakeClock) -> None:
        """Only if something is gone that was there at the moment of the snapshot."""
        ana.facts.erase(ana.remember("came and went").id)
        old = ana.facts.retire(ana.remember("ended before the second").id, "wrong")
        ana.snapshots.create("second")
        ana.facts.erase(old.id)
        assert ana.snapshots.diff("second").is_empty
        assert ana.snapshots.diff("start").is_empty
        ana.facts.erase(ana.facts.find("Ana drinks tea").id)
        ana.blocks.update("notes", "other")
        clock.advance(minutes=1)
        ana.blocks.prune("notes", 1)
        for name in ("start", "second"):
            with pytest.raises(PurgedError, match=r"1 records were erased; .* pruned of notes"):
                ana.snapshots.diff(name)
        assert ana.snapshots.diff("start", partial=True).ended == ()

    def test_a_trail_sealed_after_the_snapshot_is_an_error(
        self, memory: Memory, ana: Memory, clock: FakeClock
    ) -> None:
        """It is then unknown what was erased."""
        ana.facts.erase(*(ana.remember(f"came and went {number}").id for number in range(9)))
        clock.advance(days=2)
        memory.maintain("audit 1 day")
        clock.advance(minutes=1)
        with pytest.raises(PurgedError, match="sealed"):
            ana.snapshots.diff("start")
        assert not ana.snapshots.diff("start", partial=True).learned
        ana.snapshots.create("later")
        assert ana.snapshots.diff("later").is_empty
