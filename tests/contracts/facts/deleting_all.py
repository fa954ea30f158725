"""`facts.delete_all` and `facts.restore_all`: all facts of one user, and nobody else's."""

from __future__ import annotations

import pytest

from erstwhile import InvalidInputError, Memory, ScopeError
from erstwhile.facts import delete_all
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, unchanged


class DeletingAllContract(Contract):
    def test_all_facts_of_a_user_are_deleted_and_restored(
        self, memory: Memory, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What was deleted before stays deleted, and what is of others stays."""
        monkeypatch.setattr(delete_all, "BATCH", 2)
        ana, everything = memory.scoped(user="ana"), memory.everything()
        earlier = ana.remember("Ana smokes")
        ana.facts.delete(earlier.id)
        ana.facts.set("city", "Porto")
        ana.facts.set("city", "Faro")
        ana.scoped(project="shop").remember("Ana sells tea")
        ana.remember("Ana was in Rome, they say", origin="web")
        kept = [memory.remember("Tea is green"), memory.scoped(user="bob").remember("Bob cycles")]
        clock.advance(days=1)
        before = everything.facts.list(state="any")
        with unchanged(memory):
            assert memory.facts.delete_all(user="ana", preview=True).facts == 4
        gone = memory.facts.delete_all(user="ana", reason="she asked for it")
        assert (gone.facts, gone.skipped) == (4, ())
        assert {fact.id for fact in everything.facts.list(state="any")} == {f.id for f in kept}
        assert not ana.recall("Faro", state="any")
        deleted = everything.audit.list(action="delete")
        assert [entry.reason for entry in deleted].count("she asked for it") == 4
        assert memory.facts.delete_all(user="ana").at is None
        clock.advance(days=1)
        assert gone.at is not None
        with unchanged(memory):
            assert memory.facts.restore_all(gone.at, user="ana", preview=True).facts == 4
        assert ana.facts.restore_all(gone.at).facts == 4
        assert [fact.id for fact in everything.facts.list(state="any")] == [f.id for f in before]
        assert ana.facts.value("city") == "Faro"
        assert [fact.id for fact in ana.facts.list(deleted=True)] == [earlier.id]
        assert everything.audit.verify().ok

    def test_a_fact_whose_place_is_taken_stays_deleted(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        old = ana.facts.set("city", "Porto")
        tea = ana.remember("Ana likes tea")
        gone = ana.facts.delete_all()
        ana.facts.set("city", "Faro")
        back = ana.facts.restore_all(gone.at or "now")
        assert (back.facts, back.skipped) == (1, (old.id,))
        assert ana.facts.get(tea.id).text == "Ana likes tea"
        assert ana.facts.value("city") == "Faro"

    def test_a_scoped_memory_reaches_only_its_own_facts(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        ana.remember("Ana likes tea")
        shop = ana.scoped(project="shop")
        shop.remember("Ana sells tea")
        assert shop.facts.delete_all().facts == 1
        assert memory.scoped(project="shop").facts.delete_all(user="ana").facts == 0
        with unchanged(memory), pytest.raises(ScopeError):
            memory.scoped(user="bob").facts.delete_all(user="ana")
        assert ana.facts.count() == 1

    @input_check
    def test_no_user_is_not_everybody(self, memory: Memory) -> None:
        memory.scoped(user="ana", project="shop").remember("Ana sells tea")
        for view in (memory, memory.everything(), memory.scoped(project="shop")):
            for call in (view.facts.delete_all, lambda view=view: view.facts.restore_all("now")):
                with unchanged(memory), pytest.raises(InvalidInputError, match="no user"):
                    call()
