"""A key has at most one live value per scope, and a statement at most one live fact."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant

import erstwhile
from erstwhile.core.text import folded
from tests.property.acting import Acting, Move, moves

MICROSECOND = timedelta(microseconds=1)


class OneOfEach(Acting):
    """A machine that checks now and every moment at which a fact began or ended."""

    @invariant()
    def one_value_of_a_key_at_any_time(self) -> None:
        for as_of in self.edges():
            live = self.all.facts.list(as_of=as_of, limit=1_000)
            values = Counter((fact.scope, fact.key) for fact in live if fact.key)
            assert not [value for value, count in values.items() if count > 1], as_of

    @invariant()
    def one_value_of_a_key_as_known_at_any_time(self) -> None:
        for known_at in self.changes():
            live = self.all.facts.list(known_at=known_at, limit=1_000)
            values = Counter((fact.scope, fact.key) for fact in live if fact.key)
            assert not [value for value, count in values.items() if count > 1], known_at

    @invariant()
    def the_value_is_the_one_that_is_live(self) -> None:
        for view in self.views:
            values = view.facts.list(key="drink", limit=1_000)
            own = [fact.text for fact in values if fact.scope == view.scope]
            assert not own or view.facts.value("drink") == own[0]

    @invariant()
    def one_verbatim_twin(self) -> None:
        live = self.all.facts.list(limit=1_000)
        twins = Counter((fact.scope, fact.kind, fact.key, folded(fact.text)) for fact in live)
        assert not [twin for twin, count in twins.items() if count > 1]

    def edges(self) -> set[datetime]:
        """Return the moments at which values begin, and the moments before."""
        facts = [states[-1] for states in self.log.values()]
        starts = {fact.valid_from for fact in facts if fact.key}
        ends = {fact.ends_at - MICROSECOND for fact in facts if fact.key and fact.ends_at}
        return starts | ends | {self.clock.now()}

    def changes(self) -> set[datetime]:
        keyed = [states for states in self.log.values() if states[0].key]
        return {state.known_from for states in keyed for state in states}


TestOneOfEach = OneOfEach.TestCase
HOUR = timedelta(hours=1)

STORIES = {
    "a value comes back to a time at which another was true": [
        Move("set"), Move("retire"), Move("set", "coffee"), Move("retire"), Move("undo", pick=1),
    ],
    "a value that has ended is shown again where another reaches back": [
        Move("set"), Move("retire"), Move("delete"), Move("set", "coffee", by=-HOUR),
        Move("restore"),
    ],
    "a value is shown again after its successor was wrong": [
        Move("set"), Move("delete"), Move("set", "coffee"),
        Move("retire", ending=erstwhile.types.Ending.WRONG), Move("restore"),
    ],
    "a statement comes back after its twin has run out": [
        Move("say"), Move("retire"), Move("say", pick=1), Move("wait", by=2 * HOUR),
        Move("undo"),
    ],
    "a statement is shown again after its twin has run out": [
        Move("say"), Move("delete"), Move("say", pick=1), Move("wait", by=2 * HOUR),
        Move("restore"),
    ],
}  # fmt: skip
"""Orders of events that once ended badly."""


def look_after(made: list[Move], machine: type[OneOfEach] = OneOfEach) -> None:
    world = machine()
    world.live(made)
    world.one_value_of_a_key_at_any_time()
    world.one_value_of_a_key_as_known_at_any_time()
    world.one_verbatim_twin()
    assert world.all.audit.verify().problems == ()
    world.teardown()


@pytest.mark.parametrize("story", STORIES)
def test_a_story_ends_well(story: str) -> None:
    look_after(STORIES[story])


@settings(max_examples=250)
@given(made=st.lists(moves("set"), min_size=12, max_size=16))
def test_one_value_of_a_key_whatever_comes_and_goes(made: list[Move]) -> None:
    """Many moves on one key: values that end, come back, are hidden and shown again."""
    look_after(made)


@settings(max_examples=150)
@given(made=st.lists(moves("say"), min_size=12, max_size=16))
def test_one_twin_whatever_comes_and_goes(made: list[Move]) -> None:
    """The same with a statement that is made again and again."""
    look_after(made)
