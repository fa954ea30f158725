"""`flush` waits for what the background learns, up to a limit, and tells what is left."""

from __future__ import annotations

import time
from collections.abc import Iterator
from threading import Event

import pytest

from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.bootstrap import assemble
from erstwhile.core.errors import LlmError
from erstwhile.core.ports import Engine, Prompt
from erstwhile.core.scope import Viewer
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import Answer, ScriptedLlm
from tests.contracts.base import Contract, texts
from tests.learning.extraction_answers import adding, fact
from tests.learning.verification_answers import FakeLlm

NAMED = adding(
    fact("The user's name is Ana", "profile", quote="My name is Ana", key="name", value="Ana")
)


class FlushingContract(Contract):
    @pytest.fixture
    def go_on(self) -> Iterator[Event]:
        event = Event()
        yield event
        event.set()

    def learning(self, engine: Engine, clock: FakeClock, llm: ScriptedLlm) -> Memory:
        return assemble(engine, clock, Viewer(), HashingEmbedder, llm=lambda: llm, learners=2)

    def slow(self, go_on: Event) -> FakeLlm:
        def answer(_: Prompt) -> Answer:
            go_on.wait(30)
            return NAMED

        return FakeLlm(answer, NAMED)

    def test_it_waits_for_learning_and_embedding(self, engine: Engine, clock: FakeClock) -> None:
        """What was learned is embedded, too."""
        with self.learning(engine, clock, FakeLlm(*[NAMED] * 3)) as memory:
            ana = memory.scoped(user="ana")
            for _ in range(3):
                ana.observe_turn("My name is Ana.", "Hello!", channel="chat")
            left = ana.flush()
            assert (left.texts, left.conversations) == (0, 0)
            assert (left.done, left.embeds, left.learns) == (True, True, True)
            assert texts(ana.facts.list()) == ["The user's name is Ana"]
            assert ana.recall("The user's name is Ana")[0].why.cosine is not None

    def test_it_waits_for_its_scope(self, engine: Engine, clock: FakeClock, go_on: Event) -> None:
        with self.learning(engine, clock, self.slow(go_on)) as memory:
            memory.scoped(user="ana").observe_turn("My name is Ana.", "Hello!")
            assert memory.scoped(user="bob").flush().conversations == 0
            left = memory.flush(0.3)
            assert (left.conversations, left.done) == (1, False)
            assert memory.scoped(user="ana").flush(0.1).conversations == 1
            go_on.set()
            assert memory.flush().done

    def test_it_does_not_wait_for_the_next_try(self, engine: Engine, clock: FakeClock) -> None:
        down = LlmError("too many requests (429)", retry_after=300)
        with self.learning(engine, clock, ScriptedLlm(*[down] * 3)) as memory:
            memory.observe_turn("My name is Ana.", "Hello!")
            begun = time.monotonic()
            left = memory.flush(60)
            assert (left.conversations, left.done) == (1, False)
            assert time.monotonic() - begun < 30

    def test_without_learners_it_does_not_wait(self, engine: Engine, clock: FakeClock) -> None:
        memory = assemble(engine, clock, Viewer(), learners=0)
        memory.observe_turn("My name is Ana.", "Hello!")
        left = memory.flush()
        assert (left.conversations, left.learns, left.embeds) == (1, False, False)
        assert left.done
        assert memory.facts.count() == 0
