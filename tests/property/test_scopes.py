"""Nothing outside the viewer's scope appears in any result, count, trace or error.

Two memories get the same calls, but one of them does not get the facts that the viewer may not see.
From the scope of the viewer, both must give equal answers, errors and changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import erstwhile
from erstwhile.core.scope import DIMENSIONS
from tests.property.places import Place, TurnedClock, given_on_each_engine, in_process, opened

_CHANCE = re.compile(r"([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3})-[0-9a-f]{4}-[0-9a-f]{12}")
_COUNTED_OVER_ALL = re.compile(r"(number|bytes)=\d+")
_CITED = re.compile(r"(\[|citation='|tokens=|prefix=|'>: )\d+")
"""Citations follow from ids, a part of which is chance, and so do the tokens that they take."""
SECOND = timedelta(seconds=1)
STATES: list[dict[str, Any]] = [
    {"deleted": True},
    *({"state": each} for each in ("live", "quarantined", "upcoming", "retired", "any")),
]

users = st.sampled_from([None, "ana", "bob"])
others = st.sampled_from([None, None, None, "ana"])
scopes = st.builds(erstwhile.Scope, user=users, agent=others, project=others, session=others)


@dataclass(frozen=True)
class Deed:
    """A fact of some scope, and a change of it."""

    owner: erstwhile.Scope
    text: str
    key: str | None
    name: str
    then: str


deeds = st.builds(
    Deed,
    owner=scopes,
    text=st.sampled_from(["tea", "rain"]),
    key=st.sampled_from([None, "drink"]),
    name=st.sampled_from(["Ana", "Bob", "Eve"]),
    then=st.sampled_from(["stays", "replace", "retire", "delete", "alias"]),
)


class World:
    """A memory, and the ids of the facts in it."""

    def __init__(self, memory: erstwhile.Memory, clock: TurnedClock) -> None:
        self.memory = memory
        self.clock = clock
        self.ids: dict[int, str] = {}

    def within(self, scope: erstwhile.Scope) -> erstwhile.Memory:
        return self.memory.scoped(**{name: getattr(scope, name) for name in DIMENSIONS})

    def let_pass(self) -> None:
        self.clock.turn(2 * SECOND)

    def do(self, number: int, deed: Deed) -> None:
        own = self.within(deed.owner)
        links = [(deed.name, "likes", deed.text)]
        fact = own.remember(deed.text, key=deed.key, tags=[deed.text], relations=links)
        self.clock.turn(SECOND)
        if deed.then in AFTERMATHS:
            AFTERMATHS[deed.then](own, fact, f"{deed.name} said so")
        self.clock.turn(SECOND)
        self.ids[number] = fact.id


@contextmanager
def new_world(place: Place) -> Iterator[World]:
    clock = TurnedClock()
    with opened(place(), clock) as memory:
        yield World(memory, clock)


AFTERMATHS: dict[str, Callable[[erstwhile.Memory, erstwhile.Fact, str], object]] = {
    "replace": lambda own, fact, why: own.facts.replace(fact.id, "no more", reason=why),
    "retire": lambda own, fact, why: own.facts.retire(fact.id, "wrong", reason=why),
    "delete": lambda own, fact, why: own.facts.delete(fact.id, reason=why),
    "alias": lambda own, fact, why: own.entities.add_alias(
        fact.text, f"the {fact.text}", reason=why
    ),
}


def lists(memory: erstwhile.Memory) -> object:
    return [
        (
            memory.facts.list(**state),
            memory.facts.list(**state, limit=1),
            memory.facts.list(**state, tag="tea", contains="e", key="drink"),
            memory.facts.list(**state, known_at="3 seconds ago"),
            memory.facts.count(**state, entity="ana"),
        )
        for state in STATES
    ]


OF_ALL: list[Callable[[erstwhile.Memory], object]] = [
    lists,
    lambda memory: memory.facts.value("drink"),
    lambda memory: memory.entities.list(),
    lambda memory: memory.entities.get("ana"),
    lambda memory: memory.entities.get("the tea"),
    lambda memory: memory.audit.list(limit=1_000),
    lambda memory: memory.audit.verify(),
    lambda memory: memory.stats(),
    lambda memory: memory.context("who likes tea or rain?", needs=list(erstwhile.types.Section)),
]

OF_ONE: list[Callable[[erstwhile.Memory, str], object]] = [
    lambda memory, fact: memory.facts.get(fact),
    lambda memory, fact: memory.facts.get(fact[:8]),
    lambda memory, fact: memory.facts.history(fact),
    lambda memory, fact: memory.audit.list(subject=fact),
    lambda memory, fact: memory.facts.replace(fact, "something else"),
    lambda memory, fact: memory.facts.undo(fact),
    lambda memory, fact: memory.facts.delete(fact[:18]),
    lambda memory, fact: memory.facts.restore(fact),
    lambda memory, fact: memory.facts.erase(fact),
]


SAID: list[Callable[[erstwhile.Memory], object]] = [
    lambda memory: memory.remember("tea", key="drink"),
    lambda memory: memory.remember("tea"),
    lambda memory: memory.facts.set("drink", "coffee"),
    lambda memory: memory.entities.add_alias("ana", "the tea"),
    lambda memory: memory.facts.purge("0 days"),
]


def told(ask: Callable[[], object]) -> str:
    """Return the answer or the error of a call, without random parts and global counts."""
    try:
        answer = repr(ask())
    except erstwhile.ErstwhileError as error:
        answer = f"{type(error).__name__}: {error}"
    return _CITED.sub(r"\1", _COUNTED_OVER_ALL.sub(r"\1", _CHANCE.sub(r"\1", answer)))


@given_on_each_engine(max_examples=30, done=st.lists(deeds, min_size=4, max_size=7), reader=scopes)
def test_what_others_remember_makes_no_difference(
    place: Place, done: list[Deed], reader: erstwhile.Scope
) -> None:
    with new_world(place) as full, new_world(place) as seen:
        for number, deed in enumerate(done):
            full.do(number, deed)
            seen.do(number, deed) if reader.sees(deed.owner) else seen.let_pass()
        compare(full, seen, reader)


def compare(full: World, seen: World, reader: erstwhile.Scope) -> None:
    ours, theirs = full.within(reader), seen.within(reader)
    assert theirs.facts.count(state="any") == seen.memory.everything().facts.count(state="any")
    for ask in OF_ALL:
        assert told(partial(ask, ours)) == told(partial(ask, theirs))
    for number, id in full.ids.items():
        there = seen.ids.get(number, id)
        for act in OF_ONE:
            assert told(partial(act, ours, id)) == told(partial(act, theirs, there))
    for say in SAID:
        assert told(partial(say, ours)) == told(partial(say, theirs))
    for ask in OF_ALL:
        assert told(partial(ask, ours)) == told(partial(ask, theirs))


@settings(max_examples=30)
@given(done=st.lists(deeds, max_size=6))
def test_an_administrator_sees_everything(done: list[Deed]) -> None:
    """The control: what is hidden above is there."""
    with new_world(in_process) as world:
        for number, deed in enumerate(done):
            world.do(number, deed)
        admin = world.memory.everything()
        facts = [*admin.facts.list(state="any"), *admin.facts.list(deleted=True)]
        found = {fact.id for fact in facts}
        assert set(world.ids.values()) <= found
        assert {entry.scope for entry in admin.audit.list()} == {deed.owner for deed in done}
