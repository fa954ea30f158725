"""The learning thread: it begins with the first turn, blocks nobody, and ends in time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import erstwhile
from erstwhile.bootstrap import assemble
from erstwhile.core.errors import InvalidInputError, LlmError
from erstwhile.core.ports import Completion, Llm, Prompt
from erstwhile.core.scope import Viewer
from erstwhile.core.time import SystemClock
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.learning import background
from tests.learning.answering_llm import AnsweringLlm
from tests.recall.test_worker import until

NAME = "erstwhile-learning"


class GatedLlm(AnsweringLlm):
    """A model that answers when its gate opens, and stops when it is cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = threading.Event()
        self.open = threading.Event()

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        self.reached.set()
        while not self.open.wait(0.01):
            if cancelled():
                raise LlmError("cancelled")
        return super().complete(prompt, cancelled)


class AbsentLlm:
    model = "absent"

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        raise LlmError(f"nobody is there for {len(prompt.user)} characters ({cancelled()})")


def learners() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == NAME]


def owned(memory: erstwhile.Memory) -> set[str]:
    return {fact.text.rpartition(" ")[2] for fact in memory.facts.list()}


def test_what_is_observed_is_learned_without_being_asked(location: str) -> None:
    with erstwhile.open(location, llm=AnsweringLlm()) as memory:
        ana = memory.scoped(user="ana")
        seen = ana.observe_turn("I own a kettle.", "Nice.")
        assert seen.attempts == ()
        until(lambda: owned(ana) == {"kettle"})
        assert len(learners()) == 1
    assert learners() == []


def test_asyncio_learns_as_well(location: str) -> None:
    async def life() -> list[str]:
        async with await erstwhile.AsyncMemory.open(location, llm=AnsweringLlm()) as memory:
            seen = await memory.observe_turn("I own a kettle.", "Nice.", wait=True)
            assert await memory.learn() == []
            assert (await memory.learning.status()).waiting == 0
            return [attempt.outcome.value for attempt in seen.attempts]

    assert asyncio.run(life()) == ["learned"]


def test_learning_by_hand_starts_no_thread(location: str) -> None:
    with erstwhile.open(location, llm=AnsweringLlm()) as memory:
        memory.observe_turn("I own a kettle.", "Nice.", wait=True)
        assert owned(memory) == {"kettle"}
        assert learners() == []


def test_a_slow_model_holds_up_nobody(location: str) -> None:
    """Neither observing nor recalling waits for it."""
    llm = GatedLlm()
    with erstwhile.open(location, llm=llm) as memory:
        memory.observe_turn("I own a kettle.", "Nice.")
        assert llm.reached.wait(60)
        memory.observe_turn("I own a bicycle.", "Nice.")
        assert not memory.recall("kettle")
        llm.open.set()
        until(lambda: owned(memory) == {"kettle", "bicycle"})
        assert len(memory.learning.attempts()) == 2


def test_who_waits_gets_what_the_thread_learns(location: str) -> None:
    """Each turn is learned once, by the caller or by the thread."""
    with erstwhile.open(location, llm=AnsweringLlm()) as memory:
        for thing in ("kettle", "bicycle", "telescope", "violin"):
            memory.observe_turn(f"I own a {thing}case.", "Nice.")
            seen = memory.observe_turn(f"I own a {thing}.", "Nice.", wait=True)
            assert [attempt.outcome for attempt in seen.attempts] == ["learned"]
        assert len(memory.learning.attempts()) == len(owned(memory)) == 8


def test_another_process_is_not_waited_for(file: Path) -> None:
    """It has the lease, and may keep it for long."""
    llm = GatedLlm()
    with erstwhile.open(file, llm=llm) as memory, erstwhile.open(file) as other:
        memory.observe_turn("I own a kettle.", "Nice.")
        assert llm.reached.wait(60)
        assert other.learn() == []
        assert other.learning.status().put_off == 1
        llm.open.set()


def test_closing_learns_from_what_waits(file: Path) -> None:
    things = ("kettle", "bicycle", "telescope")
    with erstwhile.open(file, llm=AnsweringLlm()) as memory:
        for thing in things:
            memory.observe_turn(f"I own a {thing}.", "Nice.")
    with erstwhile.open(file) as memory:
        assert owned(memory) == set(things)
        assert memory.learning.pending() == []


def test_a_model_that_is_down_does_not_keep_a_memory_open(file: Path) -> None:
    """Each turn is tried at most once more, and stays pending."""
    with erstwhile.open(file, llm=AbsentLlm()) as memory:
        memory.observe_turn("I own a kettle.", "Nice.")
    with erstwhile.open(file, llm=AnsweringLlm()) as memory:
        assert {attempt.outcome for attempt in memory.learning.attempts()} <= {"failed"}
        assert len(memory.learning.attempts()) <= 1
        assert len(memory.learning.pending()) == 1


def test_closing_does_not_wait_for_a_silent_model(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the time for closing is over, the turn stays pending without a lease."""
    monkeypatch.setattr(background, "CLOSING", 0.05)
    llm = GatedLlm()
    memory = erstwhile.open(file, llm=llm)
    memory.observe_turn("I own a kettle.", "Nice.")
    assert llm.reached.wait(60)
    memory.close()
    with erstwhile.open(file, llm=AnsweringLlm()) as memory:
        assert not memory.learning.attempts()
        assert len(memory.learn()) == 1
        assert owned(memory) == {"kettle"}


def test_another_process_learns_the_rest(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in another scope: the background thread learns for all scopes."""
    monkeypatch.setattr(background, "CLOSING", 0.0)
    llm = GatedLlm()
    with erstwhile.open(file, llm=llm) as memory:
        memory.scoped(user="ana").observe_turn("I own a kettle.", "Nice.")
        assert llm.reached.wait(60)
    with erstwhile.open(file, llm=AnsweringLlm()) as memory:
        ana = memory.scoped(user="ana")
        assert (len(ana.learning.pending()), owned(ana)) == (1, set())
        memory.scoped(user="bob").observe_turn("I own a bicycle.", "Nice.")
        until(lambda: owned(ana) == {"kettle"})


def test_a_model_that_cannot_be_made_is_told_of(file: Path) -> None:
    """The turn stays pending, and the status names the reason."""

    def make() -> Llm | None:
        raise InvalidInputError("there is no key", remedy="set one")

    engine = SqliteEngine(str(file))
    with assemble(engine, SystemClock(), Viewer(), llm=make) as memory:
        memory.observe_turn("I own a kettle.", "Nice.", wait=True)
        [attempt] = memory.learning.attempts()
        status = memory.learning.status()
        assert attempt.outcome == "failed"
        assert status.failing == "there is no key: set one"
        assert (status.waiting, status.put_off) == (0, 1)


def test_what_a_model_shall_learn_is_left_to_one_that_has_a_model(file: Path) -> None:
    """Only in the background: `learn` uses what this process has."""
    with erstwhile.open(file, llm=AbsentLlm()) as with_model:
        seen = with_model.observe_turn("I live in Rome.", "Fine.")
    with erstwhile.open(file, llm="none") as without:
        own = without.observe_turn("We use pnpm.", "Fine.", channel="other")
        until(lambda: not _waits(without, own.conversation))
        assert _waits(without, seen.conversation)
    with erstwhile.open(file, llm="none") as without:
        assert _waits(without, seen.conversation)
        assert [fact.text for fact in without.facts.list()] == ["The team uses pnpm"]


def test_who_observes_a_conversation_last_says_how_it_is_learned(file: Path) -> None:
    """A process that no longer has a model does not block the conversation."""
    with erstwhile.open(file, llm=GatedLlm()) as with_model:
        seen = with_model.observe_turn("I live in Rome.", "Fine.")
        with erstwhile.open(file, llm="none") as without:
            without.observe_turn("We use pnpm.", "Fine.", conversation=seen.conversation)
            [waiting] = without.learning.pending()
            assert not waiting.with_model


def _waits(memory: erstwhile.Memory, conversation: str) -> bool:
    return conversation in {each.conversation for each in memory.learning.pending()}
