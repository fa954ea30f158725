"""A state machine that changes facts in any order and logs every state.

The tests beside this file derive machines from it and add their checks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from unittest import TestCase

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

import erstwhile
from erstwhile.core.text import folded
from tests.property.places import TurnedClock, few_examples, in_process, on_postgres, opened

REFUSALS = (erstwhile.RefusedError, erstwhile.NotFoundError, erstwhile.InvalidInputError)

hours = st.sampled_from([-30, -2, -1, 0, 1, 2, 30]).map(lambda count: timedelta(hours=count))
texts = st.sampled_from(["tea", " Tea", "coffee", "milk and tea", "100% rain_fall"])
keys = st.sampled_from([None, "drink"])
picks = st.integers(0, 30)


@st.composite
def details(draw: st.DrawFn) -> dict[str, Any]:
    """Generate the details of a fact; times are distances from now."""
    said: dict[str, Any] = {
        "kind": draw(st.sampled_from(["fact", "fact", "preference"])),
        "origin": draw(st.sampled_from(["person", "person", "learned", "web"])),
        "tags": draw(st.lists(st.sampled_from(["Hot", "cold"]), max_size=2)),
        "entities": draw(st.lists(st.sampled_from(["Ana", "Bob"]), max_size=2)),
    }
    if draw(st.booleans()):
        said["valid_from"] = draw(hours)
    if draw(st.integers(0, 3)) == 0:
        said["expires_at"] = draw(st.sampled_from([1, 3])) * timedelta(hours=1)
    return said


several = st.lists(st.tuples(texts, details()), max_size=3, unique_by=lambda item: folded(item[0]))
"""Different ones, so that no fact changes twice in one step."""


def stored(fact: erstwhile.Fact) -> erstwhile.Fact:
    """Return a fact as it is stored: that its time ran out is only seen when it is read."""
    ran_out = fact.ending is erstwhile.types.Ending.EXPIRED and fact.retired_at is None
    return replace(fact, ending=None) if ran_out else fact


@dataclass(frozen=True)
class Move:
    """A change of one of the newest facts."""

    verb: str
    text: str = "tea"
    pick: int = 0
    by: timedelta = timedelta()
    ending: erstwhile.types.Ending = erstwhile.types.Ending.SUPERSEDED


def moves(*begin: str) -> st.SearchStrategy[Move]:
    """Generate moves for a sequence, so that effects of their order are tested."""
    return st.builds(
        Move,
        verb=st.sampled_from([*begin, "retire", "undo", "delete", "restore", "wait"]),
        pick=st.integers(0, 1),
        text=st.sampled_from(["tea", "coffee"]),
        by=hours,
        ending=st.sampled_from(erstwhile.types.Ending),
    )


class Acting(RuleBasedStateMachine):
    """A memory with two scopes, one of which sees the other."""

    place = staticmethod(in_process)

    def __init__(self) -> None:
        super().__init__()
        self.clock = TurnedClock()
        self.memory = opened(self.place(), self.clock)
        self.all = self.memory.everything()
        self.views = [self.memory, self.memory.scoped(user="ana")]
        self.log: dict[str, list[erstwhile.Fact]] = {}
        """Every state that each fact was in, in order; what was erased is taken out."""

    def teardown(self) -> None:
        self.memory.close()

    @rule(view=st.integers(0, 1), text=texts, key=keys, said=details())
    def remember(self, view: int, text: str, key: str | None, said: dict[str, Any]) -> None:
        self.act(lambda: self.views[view].remember(text, key=key, **self.placed(said)))

    @rule(view=st.integers(0, 1), items=several)
    def remember_many(self, view: int, items: list[tuple[str, dict[str, Any]]]) -> None:
        drafts = [{"text": text, **self.placed(said)} for text, said in items]
        self.act(lambda: self.views[view].remember_many(drafts))

    @rule(made=st.lists(moves("say", "set"), min_size=2, max_size=8))
    def live(self, made: list[Move]) -> None:
        for move in made:
            self.make(move)

    @precondition(lambda self: self.log)
    @rule(pick=picks, text=texts, since=st.none() | hours)
    def replace(self, pick: int, text: str, since: timedelta | None) -> None:
        said = self.placed({} if since is None else {"valid_from": since})
        self.act(lambda: self.all.facts.replace(self.chosen(pick), text, reason="why", **said))

    @precondition(lambda self: self.log)
    @rule(pick=picks, how=st.sampled_from(["confirm", "pin", "unpin", "undo", "delete", "restore"]))
    def change(self, pick: int, how: str) -> None:
        self.act(lambda: getattr(self.all.facts, how)(self.chosen(pick)))

    @precondition(lambda self: self.log)
    @rule(pick=picks, to=st.sampled_from(["user", "shared"]))
    def move(self, pick: int, to: str) -> None:
        self.act(lambda: self.views[1].facts.move(self.chosen(pick), to=to))

    @rule(by=hours | st.just(timedelta(microseconds=1)))
    def turn_the_clock(self, by: timedelta) -> None:
        self.clock.turn(by)

    def make(self, move: Move) -> None:
        now, facts = self.clock.now(), self.memory.facts
        if move.verb == "wait":
            self.clock.turn(abs(move.by))
        elif move.verb == "say":
            lasting = max(timedelta(hours=1), move.by) if move.pick else None
            said = self.act(lambda: self.memory.remember(move.text, expires_at=lasting))
            assert (
                said is None or said.state_at(said.known_from) is not erstwhile.types.State.RETIRED
            )
        elif move.verb == "set":
            since = min(now + move.by, now)
            self.act(lambda: facts.set("drink", move.text, valid_from=since))
        elif fitting := self.fitting(move.verb):
            id = fitting[-1 - move.pick % len(fitting)]
            ended = {"ended": now + move.by} if move.by < timedelta() else {}
            details = {"ending": move.ending, **ended} if move.verb == "retire" else {}
            self.act(lambda: getattr(facts, move.verb)(id, **details))

    def fitting(self, verb: str) -> list[str]:
        """Return the facts that the move can be made on."""
        facts = [states[-1] for states in self.log.values()]
        return {
            "restore": [fact.id for fact in facts if fact.deleted_at],
            "undo": [fact.id for fact in facts if not fact.deleted_at and fact.retired_at],
            "retire": [fact.id for fact in facts if not fact.deleted_at and not fact.retired_at],
            "delete": [fact.id for fact in facts if not fact.deleted_at],
        }[verb]

    @property
    def deleted(self) -> set[str]:
        return {id for id, states in self.log.items() if states[-1].deleted_at}

    @property
    def last_change(self) -> datetime:
        return max(states[-1].known_from for states in self.log.values())

    def chosen(self, pick: int) -> str:
        return list(self.log)[pick % len(self.log)]

    def placed(self, said: dict[str, Any]) -> dict[str, Any]:
        now = self.clock.now()
        return {
            name: now + value if isinstance(value, timedelta) else value
            for name, value in said.items()
        }

    def act(self, change: Callable[[], Any]) -> Any:
        """Make a change; check that a refused change has no effect."""
        before = self.newest_entry()
        try:
            made = change()
        except REFUSALS:
            assert self.newest_entry() == before
            assert self.snapshot() == {id: states[-1] for id, states in self.log.items()}
            return None
        self.write_down()
        return made

    def newest_entry(self) -> erstwhile.types.Entry | None:
        return next(iter(self.all.audit.list(limit=1)), None)

    def snapshot(self) -> dict[str, erstwhile.Fact]:
        present = self.all.facts.list(state="any", limit=1_000)
        deleted = self.all.facts.list(deleted=True, limit=1_000)
        return {fact.id: stored(fact) for fact in (*present, *deleted)}

    def write_down(self) -> None:
        now = self.snapshot()
        for id, fact in sorted(now.items()):
            states = self.log.setdefault(id, [])
            if not states or states[-1] != fact:
                states.append(fact)
        for id in self.log.keys() - now.keys():
            del self.log[id]


def on_each_engine(machine: type[Acting], **limits: Any) -> tuple[type[TestCase], type[TestCase]]:
    """Return the tests of a machine: in this process, and with few examples on PostgreSQL."""

    class OnPostgres(machine):  # type: ignore[misc,valid-type]
        place = staticmethod(on_postgres)

    usual, few = machine.TestCase, OnPostgres.TestCase
    usual.settings, few.settings = settings(usual.settings, **limits), few_examples()
    return usual, few
