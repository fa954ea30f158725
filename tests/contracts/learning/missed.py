"""Turns that the daily limit kept from the model, and turns that wait for a model that was down."""

from __future__ import annotations

import pytest

from erstwhile.core.errors import LlmError, NotFoundError
from erstwhile.core.policies import DailyLimit
from erstwhile.core.ports import Completion, Engine
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, texts
from tests.contracts.learning.learning import LISBON, Taught, learning_memory, outcomes
from tests.learning.extraction_answers import NOTHING, adding, fact
from tests.learning.verification_answers import FakeLlm

DEAR = Completion(text='{"add": []}', input=1_000)
RADIOS = fact("The user restores old radios", quote="I restore old radios")
SHIPS = fact("The user paints ships", quote="I paint ships")


class MissedTurnsContract(Contract):
    @pytest.fixture
    def llm(self) -> FakeLlm:
        return FakeLlm(DEAR)

    @pytest.fixture
    def ana(self, engine: Engine, clock: FakeClock, llm: FakeLlm) -> Memory:
        """Return a memory whose limit was reached before two of three turns."""
        ana = learning_memory(engine, clock, llm, DailyLimit(tokens=500)).scoped(user="ana")
        for said in ("I am here.", "I restore old radios.", "I paint ships."):
            ana.observe_turn(said, "Nice.", channel=said, wait=True)
        return ana

    def test_they_are_marked_and_read_later(
        self, ana: Memory, llm: FakeLlm, engine: Engine, clock: FakeClock
    ) -> None:
        """Once the limit allows it, the oldest first; a second call finds none."""
        methods = [each.method for each in ana.learning.attempts()]
        assert methods == ["capped", "capped", "llm:scripted"]
        assert ana.learn() == []
        raised = learning_memory(engine, clock, llm).scoped(user="ana")
        llm.script += [adding(RADIOS), adding(SHIPS)]
        made = raised.learn(missed=True)
        assert [(each.outcome, each.method) for each in made] == [("learned", "llm:scripted")] * 2
        assert set(texts(raised.facts.list())) == {RADIOS["text"], SHIPS["text"]}
        assert raised.learn(missed=True) == []

    def test_one_conversation_can_be_read(
        self, ana: Memory, llm: FakeLlm, clock: FakeClock
    ) -> None:
        newest = ana.learning.attempts()[0]
        clock.advance(days=1)
        llm.script.append(adding(SHIPS))
        [made] = ana.learn(newest.conversation, missed=True)
        assert (made.conversation, made.messages) == (newest.conversation, newest.messages)
        with pytest.raises(NotFoundError):
            ana.learn("0199ffff", missed=True)

    def test_it_stops_at_the_limit(self, ana: Memory, llm: FakeLlm, clock: FakeClock) -> None:
        """The rest is still missed. A turn that was missed again comes last."""
        assert [each.method for each in ana.learn(missed=True)] == ["capped"]
        clock.advance(days=1)
        llm.script.append(DEAR)
        assert [each.method for each in ana.learn(missed=True)] == ["llm:scripted", "capped"]
        clock.advance(days=1)
        llm.script.append(adding(RADIOS))
        assert [each.outcome for each in ana.learn(missed=True)] == ["learned"]
        assert texts(ana.facts.list()) == [RADIOS["text"]]

    @pytest.mark.usefixtures("ana")
    def test_others_see_none_of_them(self, engine: Engine, clock: FakeClock) -> None:
        bob = learning_memory(engine, clock, FakeLlm()).scoped(user="bob")
        assert bob.learn(missed=True) == []


class WaitingTurnsContract(Taught, Contract):
    def test_the_attempt_at_an_earlier_turn_is_returned(self, ana: Memory, llm: FakeLlm) -> None:
        """While the model is down, no attempt is made at the turn that was just observed."""
        llm.script += [LlmError("it is down"), LlmError("it is down")]
        first = ana.observe_turn("I live in Lisbon.", "Fine.", wait=True)
        later = ana.observe_turn("I like tea.", "Fine.", wait=True)
        assert (later.attempts[-1].outcome, later.attempts[-1].messages) == (
            "failed",
            (first.user.id, first.assistant.id),
        )

    def test_earlier_turns_are_tried_at_once(self, ana: Memory, llm: FakeLlm) -> None:
        """A caller that waits does not wait for the time of the next try."""
        llm.script += [LlmError("it is down", retry_after=600), adding(LISBON), NOTHING]
        ana.observe_turn("I live in Lisbon.", "Fine.", wait=True)
        assert ana.learn() == []
        seen = ana.observe_turn("What is new?", "Not much.", wait=True)
        assert (outcomes(ana), ana.learning.pending()) == (["failed", "learned", "nothing"], [])
        assert [each.outcome for each in seen.attempts] == ["nothing"]
        assert texts(ana.facts.list()) == [LISBON["text"]]
