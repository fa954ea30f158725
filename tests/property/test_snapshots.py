"""Restoring a snapshot makes every listing what it was, and can be undone."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeAlias

from hypothesis import settings
from hypothesis.stateful import precondition, rule

import erstwhile
from tests.property.acting import Acting, picks
from tests.property.test_past import STATES

Listing: TypeAlias = set[tuple[datetime, str, erstwhile.Fact]]
HOURS = (-31, -1, 0, 1, 31)


class Restoring(Acting):
    """A machine that gives names to moments, and returns to them."""

    def __init__(self) -> None:
        super().__init__()
        self.start = self.clock.now()
        self.kept: dict[str, Listing] = {}

    @rule()
    def create(self) -> None:
        snapshot = self.memory.snapshots.create(f"s{len(self.kept)}")
        self.kept[snapshot.name] = self.listing()

    @precondition(lambda self: self.kept)
    @rule(pick=picks)
    def restore(self, pick: int) -> None:
        name = list(self.kept)[pick % len(self.kept)]
        before = self.listing()
        done = self.memory.snapshots.restore(name)
        self.write_down()
        assert self.listing() == self.kept[name]
        if pick % 2:
            self.memory.snapshots.restore(done.before.name)
            self.write_down()
            assert self.listing() == before

    def listing(self) -> Listing:
        """Return the facts of the scope that some moment shows, without what only grows."""
        moments = [self.start + timedelta(hours=count) for count in HOURS]
        return {
            (moment, state, _without_growth(fact))
            for moment in moments
            for state in STATES
            if state not in ("any", "retired")
            for fact in self.memory.facts.list(state=state, as_of=moment, limit=1_000)
        }


def _without_growth(fact: erstwhile.Fact) -> erstwhile.Fact:
    return replace(
        fact, known_from=fact.recorded_at, tags=(), entities=(), relations=(), deleted_at=None
    )


TestRestoring = Restoring.TestCase
TestRestoring.settings = settings(max_examples=20)
