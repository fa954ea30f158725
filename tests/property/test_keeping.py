"""Retiring and replacing destroy nothing; deleting and retiring can be undone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

import erstwhile
from tests.property.acting import REFUSALS, Acting, picks, stored


class Keeping(Acting):
    """A machine that checks that every earlier state of a fact is still known."""

    @invariant()
    def history_keeps_every_state(self) -> None:
        for id, states in self.log.items():
            if id not in self.deleted:
                steps = self.all.facts.history(id)
                assert [step.fact for step in steps if step.fact.id == id] == states
                assert [step.at for step in steps] == sorted(step.at for step in steps)

    @invariant()
    def history_leads_to_what_replaced_a_fact_and_back(self) -> None:
        for id, states in self.log.items():
            successor = states[-1].superseded_by
            if successor and not {id, successor} & self.deleted:
                forth, back = self.all.facts.history(id), self.all.facts.history(successor)
                assert self.log[successor][-1] in [step.fact for step in forth]
                assert states[-1] in [step.fact for step in back]

    @invariant()
    def what_is_deleted_is_in_no_history(self) -> None:
        for id in self.log:
            if id in self.deleted:
                with pytest.raises(erstwhile.NotFoundError):
                    self.all.facts.history(id)
            else:
                told = {step.fact.id for step in self.all.facts.history(id)}
                assert not told & self.deleted

    @precondition(lambda self: self.log.keys() - self.deleted)
    @rule(pick=picks)
    def delete_and_restore(self, pick: int) -> None:
        """Delete and restore a fact at once, and compare."""
        fact = self.present(pick)
        self.act(lambda: self.all.facts.delete(fact.id))
        self.act(lambda: self.all.facts.restore(fact.id))
        back = stored(self.all.facts.get(fact.id))
        assert replace(back, known_from=fact.known_from) == fact

    @precondition(lambda self: self.log.keys() - self.deleted)
    @rule(pick=picks, ending=st.sampled_from(erstwhile.types.Ending))
    def retire_and_undo(self, pick: int, ending: erstwhile.types.Ending) -> None:
        """Retire a fact and undo it; an expiry that has passed is taken away."""
        fact = self.present(pick)
        if fact.retired_at is None:
            self.act(lambda: self.all.facts.retire(fact.id, ending))
            self.act(lambda: self.all.facts.undo(fact.id))
            back = stored(self.all.facts.get(fact.id))
            refused = back.retired_at is not None  # another fact has its place
            assert refused or replace(back, known_from=fact.known_from) == self.lasting(fact)

    @precondition(lambda self: self.log.keys() - self.deleted)
    @rule(pick=picks)
    def replace_and_undo(self, pick: int) -> None:
        """Check that undoing a replacement restores the fact and makes the successor wrong."""
        fact = self.present(pick)
        try:
            successor = self.all.facts.replace(fact.id, "something else entirely")
        except REFUSALS:
            return
        self.write_down()
        self.act(lambda: self.all.facts.undo(fact.id))
        back = stored(self.all.facts.get(fact.id))
        if back.retired_at is None:
            assert replace(back, known_from=fact.known_from) == self.lasting(fact)
            assert stored(self.all.facts.get(successor.id)).ending in ("wrong", None)

    def lasting(self, fact: erstwhile.Fact) -> erstwhile.Fact:
        """Return the fact without an expiry that has passed."""
        ran_out = fact.expires_at is not None and fact.expires_at <= self.last_change
        return replace(fact, expires_at=None) if ran_out else fact

    def present(self, pick: int) -> erstwhile.Fact:
        ids = [id for id in self.log if id not in self.deleted]
        return self.log[ids[pick % len(ids)]][-1]


TestKeeping = Keeping.TestCase
