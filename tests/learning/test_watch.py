"""`learning.watch`: a worker that learns from turns as they come, until it is told to end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from erstwhile.core import background as threads
from erstwhile.core.background import BackgroundFailure
from erstwhile.core.errors import ScopeError, StorageError
from erstwhile.learning import background
from erstwhile.learning.attempts import Attempt
from erstwhile.testing.clock import FakeClock
from tests.learning.answering_llm import AnsweringLlm
from tests.learning.counted_llm import CountedLlm
from tests.learning.test_background import GatedLlm, learners
from tests.learning.test_several_learners import LEARNERS, USERS, done, observe, opened
from tests.recall.test_worker import until


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_PAUSE", 0.0)
    monkeypatch.setattr(threads, "_LOOK_EVERY", 0.05)
    monkeypatch.setattr(background, "_LOOK_EVERY", 0.05)


@contextmanager
def watched(memory: erstwhile.Memory) -> Iterator[list[Any]]:
    """Watch on another thread, and yield what is reported."""
    told, end = list[Any](), threading.Event()
    watcher = threading.Thread(target=memory.learning.watch, args=(end, told.append))
    watcher.start()
    try:
        yield told
    finally:
        end.set()
        watcher.join(60)
        assert not watcher.is_alive()


def test_turns_of_another_process_are_learned_as_they_come(file: Path) -> None:
    """Several at the same time, each told once."""
    llm = CountedLlm(together=LEARNERS)
    with opened(file, "none", learners=0) as agent, opened(file, llm) as worker:
        with watched(worker.everything()) as told:
            observe(agent, turns=2)
            until(lambda: len(told) == 2 * len(USERS))
        assert {attempt.outcome for attempt in told} == {"learned"}
        assert (llm.most, done(agent)) == (LEARNERS, True)
    assert learners() == []


def test_older_messages_are_learned_first(file: Path) -> None:
    """Also those that nobody observed; a scope watches only its own conversations."""
    with opened(file, AnsweringLlm(), learners=0) as memory:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        ana.conversations.add_exchange("I own a kettle.", "Nice.")
        bob.conversations.add_exchange("I own a violin.", "Nice.")
        with watched(ana) as told:
            until(lambda: told)
        assert (ana.facts.count(), bob.facts.count(), len(told)) == (1, 0, 1)


def test_turns_that_the_daily_limit_left_out_are_read_on_the_next_day(file: Path) -> None:
    """As soon as a worker runs, or at midnight while it runs."""
    llm, clock = AnsweringLlm(), FakeClock()
    settings = erstwhile.Settings(embedder="none", daily_limit="1 tokens")
    with erstwhile.open(file, settings=settings, llm=llm, clock=clock, learners=0) as memory:
        ana = memory.scoped(user="ana")
        for thing in ("kettle", "violin"):
            ana.observe_turn(f"I own a {thing}.", "Nice.", channel=thing, wait=True)
        assert ana.learning.attempts()[0].method == "capped"
        with watched(memory.everything()) as told:
            until(lambda: told)
            assert told.pop().method == "capped"
            clock.advance(days=1)
            until(lambda: told)
        assert told[0].method.startswith("llm:")


def test_ending_gives_back_what_is_under_way(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "CLOSING", 0.05)
    llm = GatedLlm()
    with opened(file, llm, learners=0) as memory:
        observe(memory)
        with watched(memory.everything()) as told:
            assert llm.reached.wait(60)
        assert (told, learners()) == ([], [])
        pending = memory.everything().learning.pending()
        assert [each.holder for each in pending] == [None] * len(USERS)


def test_a_background_failure_is_reported_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(file, AnsweringLlm(), learners=0) as memory:
        with watched(memory.everything()) as told:
            fail_reads(memory, monkeypatch)
            until(lambda: told)
            assert isinstance(told[0], BackgroundFailure)
            assert (told[0].stage, told[0].error) == ("learning", "StorageError")
            until(lambda: memory.learning.status().background[0].times > 2)
            monkeypatch.undo()
            observe(memory)
            until(lambda: sum(isinstance(each, Attempt) for each in told) == len(USERS))
        assert len(told) <= LEARNERS + len(USERS)


def fail_reads(memory: erstwhile.Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make reads fail on the learning threads, but not elsewhere."""
    engine, read = memory._access.engine, memory._access.engine.read

    def failing(work: Callable[[Any], Any], **options: Any) -> Any:
        if threading.current_thread() in learners():
            raise StorageError("the disk does not answer")
        return read(work, **options)

    monkeypatch.setattr(engine, "read", failing)


def test_a_report_that_fails_ends_it_and_loses_nothing(file: Path) -> None:
    """Such as a closed pipe."""

    def broken(_news: object) -> None:
        raise BrokenPipeError

    end = threading.Event()
    patience = threading.Timer(60, end.set)
    patience.start()
    with opened(file, AnsweringLlm(), learners=0) as memory:
        observe(memory)
        with pytest.raises(BrokenPipeError):
            memory.everything().learning.watch(end, broken)
        memory.everything().learn()
        assert memory.everything().facts.count() == len(USERS)
    patience.cancel()


def test_nobody_watches_for_an_unknown_user(file: Path) -> None:
    with opened(file, "none") as memory, pytest.raises(ScopeError):
        memory.scoped(user=None).learning.watch(threading.Event())
