"""The audit chain is valid and covers every change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

import erstwhile
from tests.property.acting import Acting, picks


class Trail(Acting):
    """A machine that compares the audit trail with the observed changes."""

    def __init__(self) -> None:
        super().__init__()
        self.others = 0
        """Entries about something else than the state of a fact: erasures and aliases."""

    @precondition(lambda self: self.log)
    @rule(pick=picks, count=st.integers(1, 2))
    def erase(self, pick: int, count: int) -> None:
        ids = {self.chosen(pick + each) for each in range(count)}
        before = self.memory.everything().audit.verify().entries
        self.all.facts.erase(*ids)
        assert self.all.audit.verify().entries == before + len(ids)
        self.write_down()

    @rule(alias=st.sampled_from(["A.", "B."]), name=st.sampled_from(["Ana", "Bob"]))
    def alias(self, alias: str, name: str) -> None:
        before = self.newest_entry()
        try:
            self.memory.entities.add_alias(name, alias)
        except (erstwhile.NotFoundError, erstwhile.ConflictError):
            assert self.newest_entry() == before

    @invariant()
    def the_chain_verifies(self) -> None:
        checked = self.all.audit.verify()
        assert checked.ok, checked.problems
        assert checked.records == sum(len(states) for states in self.log.values())

    def act(self, change: Callable[[], Any]) -> Any:
        """Check that each changed fact has an entry, and each entry a changed fact."""
        before, known = self.snapshot(), set(self.all.audit.list(limit=1_000))
        made = super().act(change)
        entries = set(self.all.audit.list(limit=1_000)) - known
        after = self.snapshot()
        changed = {id for id in before | after if before.get(id) != after.get(id)}
        assert {entry.subject for entry in entries} == changed
        assert all(entry.scope == after[entry.subject].scope for entry in entries)
        return made


TestTrail = Trail.TestCase
