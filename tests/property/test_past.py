"""An answer as of a valid time and a known time never changes later."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

import erstwhile
from tests.property.acting import Acting, hours, picks

STATES = [state for state in erstwhile.types.State if state is not erstwhile.types.State.DELETED]


@dataclass(frozen=True)
class Question:
    """A query about one time, as known at another."""

    as_of: datetime
    known_at: datetime

    def answer(self, memory: erstwhile.Memory) -> set[tuple[str, erstwhile.Fact]]:
        """Return all facts with their states."""
        return {
            (state, fact)
            for state in STATES
            for fact in memory.facts.list(
                state=state, as_of=self.as_of, known_at=self.known_at, limit=1_000
            )
        }


class PastAnswers(Acting):
    """A machine that queries the past, and repeats each query after later changes."""

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
            assert _without(answer, hidden) == _without(then, hidden)


def _without(
    answer: set[tuple[str, erstwhile.Fact]], hidden: set[str]
) -> set[tuple[str, erstwhile.Fact]]:
    return {(state, fact) for state, fact in answer if fact.id not in hidden}


TestPastAnswers = PastAnswers.TestCase
