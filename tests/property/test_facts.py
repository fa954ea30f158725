"""After any changes: one live value, nothing destroyed, unchanged past answers, full audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

import erstwhile
from erstwhile.core.text import folded
from tests.property.acting import (
    REFUSALS,
    Acting,
    Move,
    hours,
    moves,
    on_each_engine,
    picks,
    stored,
)  # fmt: skip
from tests.property.places import Place, given_on_each_engine, in_process, on_postgres

MICROSECOND = timedelta(microseconds=1)


class OneOfEach(Acting):
    @invariant()
    def one_value_of_a_key_at_any_time(self) -> None:
        questions: list[Any] = [{"as_of": each} for each in self.edges()]
        questions += [{"known_at": each} for each in self.changes()]
        for question in questions:
            live = self.all.facts.list(**question, limit=1_000)
            values = Counter((fact.scope, fact.key) for fact in live if fact.key)
            assert set(values.values()) <= {1}, question

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
        assert set(twins.values()) <= {1}

    def edges(self) -> set[datetime]:
        """Return the moments at which values begin, and the moments before."""
        facts = [states[-1] for states in self.log.values()]
        starts = {fact.valid_from for fact in facts if fact.key}
        ends = {fact.ends_at - MICROSECOND for fact in facts if fact.key and fact.ends_at}
        return starts | ends | {self.clock.now()}

    def changes(self) -> set[datetime]:
        keyed = [states for states in self.log.values() if states[0].key]
        return {state.known_from for states in keyed for state in states}


TestOneOfEach, TestOneOfEachOnPostgres = on_each_engine(OneOfEach)
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


def look_after(made: list[Move], place: Place) -> None:
    world = type("Placed", (OneOfEach,), {"place": staticmethod(place)})()
    world.live(made)
    world.one_value_of_a_key_at_any_time()
    world.one_verbatim_twin()
    assert world.all.audit.verify().problems == ()
    world.teardown()


@pytest.mark.parametrize("place", [in_process, on_postgres])
@pytest.mark.parametrize("story", STORIES)
def test_a_story_ends_well(story: str, place: Place) -> None:
    look_after(STORIES[story], place)


@given_on_each_engine(max_examples=250, made=st.lists(moves("set"), min_size=12, max_size=16))
def test_one_value_of_a_key_whatever_comes_and_goes(place: Place, made: list[Move]) -> None:
    look_after(made, place)


@given_on_each_engine(max_examples=150, made=st.lists(moves("say"), min_size=12, max_size=16))
def test_one_twin_whatever_comes_and_goes(place: Place, made: list[Move]) -> None:
    look_after(made, place)


class Keeping(Acting):
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


TestKeeping, TestKeepingOnPostgres = on_each_engine(Keeping)


STATES = [state for state in erstwhile.types.State if state is not erstwhile.types.State.DELETED]


@dataclass(frozen=True)
class Question:
    """A query about one time, as known at another."""

    as_of: datetime
    known_at: datetime

    def answer(self, memory: erstwhile.Memory) -> set[tuple[str, erstwhile.Fact]]:
        return {
            (state, fact)
            for state in STATES
            for fact in memory.facts.list(
                state=state, as_of=self.as_of, known_at=self.known_at, limit=1_000
            )
        }


class PastAnswers(Acting):
    def __init__(self) -> None:
        super().__init__()
        self.answered: dict[Question, tuple[set[str], set[tuple[str, erstwhile.Fact]]]] = {}

    @precondition(lambda self: self.log)
    @rule(pick=picks, known=st.integers(-1, 1), as_of=hours, place=st.integers(-1, 1))
    def ask(self, pick: int, known: int, as_of: timedelta, place: int) -> None:
        """Query at the moment of a change, or a microsecond before or after it."""
        states = self.log[self.chosen(pick)]
        moment = states[pick % len(states)]
        known_at = min(moment.known_from + timedelta(microseconds=known), self.last_change)
        edges = [moment.valid_from, moment.valid_to, moment.expires_at, known_at + as_of]
        edge = [edge for edge in edges if edge][pick % 2]
        question = Question(edge + timedelta(microseconds=place), known_at)
        if question not in self.answered:
            self.answered[question] = (self.deleted, question.answer(self.all))

    @invariant()
    def past_answers_are_what_they_were(self) -> None:
        """Ask all earlier questions again, and compare the answers, except for deleted facts."""
        for question, (deleted_then, then) in self.answered.items():
            answer = question.answer(self.all)
            assert not {fact.id for _, fact in answer} & self.deleted
            hidden = deleted_then | self.deleted
            assert all(fact.id in hidden for _, fact in answer ^ then)


TestPastAnswers, TestPastAnswersOnPostgres = on_each_engine(PastAnswers)


class Trail(Acting):
    @precondition(lambda self: self.log)
    @rule(pick=picks, count=st.integers(1, 2))
    def erase(self, pick: int, count: int) -> None:
        ids = {self.chosen(pick + each) for each in range(count)}
        before = self.memory.everything().audit.verify().entries
        erased = self.all.facts.erase(*ids).facts
        assert erased >= len(ids)  # and the originals of moved facts
        assert self.all.audit.verify().entries == before + erased
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


TestTrail, TestTrailOnPostgres = on_each_engine(Trail)
