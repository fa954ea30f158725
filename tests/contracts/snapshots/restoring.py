"""Snapshots: bringing facts and blocks back to an earlier state."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile import ConflictError, NotFoundError, PurgedError, RefusedError, ScopeError
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, texts, unchanged


def shown(memory: Memory) -> Any:
    """Return what a listing of facts and blocks shows."""
    facts = memory.facts.list(limit=100)
    return [(f.id, f.text, f.valid_from, f.ends_at, f.pinned, f.evidence) for f in facts], [
        (b.id, b.name, b.content, b.description, b.read_only) for b in memory.blocks.list()
    ]


class RestoringSnapshots(Contract):
    @pytest.fixture
    def ana(self, memory: Memory, clock: FakeClock) -> Memory:
        ana = memory.scoped(user="ana")
        ana.facts.set("city", "Paris")
        ana.remember("Ana drinks tea")
        ana.remember("Ana likes rain")
        ana.blocks.add("notes", "one")
        ana.blocks.add("plans", "travel")
        ana.snapshots.create("start")
        clock.advance(minutes=1)
        return ana

    @pytest.fixture
    def later(self, ana: Memory, clock: FakeClock) -> Memory:
        """Change everything in every way."""
        ana.facts.set("city", "London")
        clock.advance(minutes=1)
        ana.facts.set("city", "Rome")
        ana.facts.delete(ana.facts.find("Ana drinks tea").id)
        ana.facts.pin(ana.facts.find("Ana likes rain").id)
        ana.remember("Ana likes rain")
        ana.remember("Ana drinks tea", tags=["again"])
        ana.remember("from the web", origin="web")
        ana.blocks.append("notes", "two")
        ana.blocks.rename("notes", "held")
        ana.blocks.rename("plans", "notes")
        ana.blocks.rename("held", "plans")
        ana.blocks.add("new", "text")
        clock.advance(minutes=1)
        return ana

    def test_the_listing_is_what_it_was(self, ana: Memory, request: Any) -> None:
        before = shown(ana)
        later = request.getfixturevalue("later")
        assert shown(later) != before
        done = later.snapshots.restore("start", reason="a mistake")
        assert shown(later) == before
        assert later.snapshots.diff("start").is_empty
        assert (len(done.retired), len(done.revived)) == (3, 2)
        assert sorted(done.blocks) == ["new", "notes", "plans"]
        assert later.audit.verify().ok
        assert "a mistake" in [each.reason for each in later.audit.list(subject=done.retired[0])]

    def test_nothing_is_lost_and_it_can_be_undone(self, later: Memory) -> None:
        before = shown(later)
        rome = later.facts.find("Rome")
        done = later.snapshots.restore("start")
        assert later.facts.history(rome.id)[-1].action == "revert"
        assert later.facts.list(known_at=done.before.at, key="city")[0].text == "Rome"
        later.snapshots.restore(done.before.name)
        assert shown(later) == before
        assert later.audit.verify().ok

    def test_recall_and_values_are_again_those_of_the_snapshot(self, later: Memory) -> None:
        """A value is the only one at all times. What was held can be stated again."""
        later.snapshots.restore("start")
        assert later.facts.value("city") == "Paris"
        assert later.facts.value("city", as_of="1 minute ago") == "Paris"
        assert "Paris" in [hit.fact.text for hit in later.recall("Paris")]
        assert "Rome" not in [hit.fact.text for hit in later.recall("Rome")]
        assert later.quarantine.list().items == ()
        assert later.remember("from the web", origin="web").trust == "quarantined"
        later.facts.set("city", "Oslo")
        assert later.facts.value("city") == "Oslo"

    def test_restoring_twice_changes_nothing_more(self, later: Memory) -> None:
        later.snapshots.restore("start")
        again = later.snapshots.restore("start")
        assert (again.retired, again.revived, again.changed, again.blocks) == ((), (), (), ())

    def test_other_scopes_stay_as_they_are(self, memory: Memory, later: Memory) -> None:
        memory.remember("shared")
        shop = later.scoped(project="shop")
        shop.remember("narrower")
        with unchanged(memory.scoped(user="bob")), pytest.raises(NotFoundError):
            memory.scoped(user="bob").snapshots.restore("start")
        with unchanged(memory), pytest.raises(ScopeError):
            shop.snapshots.restore("start")
        later.snapshots.restore("start")
        assert {"shared", "narrower"} <= set(texts(shop.facts.list()))

    def test_an_administrator_restores_in_the_scope_of_the_snapshot(
        self, memory: Memory, later: Memory
    ) -> None:
        done = memory.everything().snapshots.restore("start")
        assert done.before.scope == later.scope
        assert later.facts.value("city") == "Paris"

    def test_a_protected_block_is_not_overwritten(self, memory: Memory, later: Memory) -> None:
        later.blocks.set_read_only("plans")
        with unchanged(memory), pytest.raises(RefusedError, match="read-only"):
            later.snapshots.restore("start")

    def test_erased_content_stays_erased(self, memory: Memory, later: Memory) -> None:
        """The rest can be restored; a pruned block stays as it is."""
        later.facts.erase(later.facts.find("Ana likes rain").id)
        later.blocks.prune("notes", 1)
        with unchanged(memory), pytest.raises(PurgedError):
            later.snapshots.restore("start")
        with unchanged(memory), pytest.raises(ConflictError, match="'notes' already exists"):
            later.snapshots.restore("start", partial=True)
        later.blocks.rename("notes", "pruned")
        later.snapshots.restore("start", partial=True)
        assert sorted(texts(later.facts.list())) == ["Ana drinks tea", "Paris"]
        blocks = {block.name: block.content for block in later.blocks.list()}
        assert blocks == {"notes": "one", "pruned": "travel"}
        assert later.audit.verify().ok
