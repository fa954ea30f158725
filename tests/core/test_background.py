"""Background work goes on by itself after every error, and says that it fails."""

from __future__ import annotations

import errno
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from erstwhile.core import background
from erstwhile.core.background import BackgroundThread, HealthRegistry, JobHealth
from erstwhile.core.errors import ClosedError, StorageError
from erstwhile.core.logs import log_failure
from erstwhile.core.time import SystemClock
from erstwhile.recall import usage_recorder
from erstwhile.testing.clock import FakeClock
from tests.doubles import UnreliableEmbedder
from tests.doubles import raising as spoiled_by
from tests.learning.answering_llm import AnsweringLlm
from tests.recall.test_worker import until, waiting

CONTENT = "hunter2-in-the-cellar"
ERRORS: dict[str, Callable[[], Exception]] = {
    "a storage error": lambda: StorageError("the disk does not answer"),
    "a TypeError": lambda: TypeError(f"unexpected {CONTENT}"),
    "a full disk": lambda: OSError(errno.ENOSPC, "No space left on device", CONTENT),
}


@pytest.fixture(params=ERRORS)
def error(request: pytest.FixtureRequest) -> Exception:
    return ERRORS[request.param]()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_PAUSE", 0.0)
    monkeypatch.setattr(background, "_LOOK_EVERY", 0.05)


class Failing:
    """A wrapper of a method that raises an error until `works` is set."""

    def __init__(self, method: Callable[..., Any], error: Exception) -> None:
        self._method = method
        self._error = error
        self.raised = 0
        self.works = False

    def __call__(self, *args: Any, **named: Any) -> Any:
        if self.works or not threading.current_thread().name.startswith("erstwhile-"):
            return self._method(*args, **named)
        self.raised += 1
        raise self._error


def fail_writes(
    memory: erstwhile.Memory, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> Failing:
    """Make writes fail on the threads of the memory, but not elsewhere."""
    engine = memory._access.engine
    failing = Failing(engine.write, error)
    monkeypatch.setattr(engine, "write", failing)
    return failing


def stage_failing(memory: erstwhile.Memory) -> list[str]:
    return [each.stage for each in memory.learning.status().background]


def recovers(memory: erstwhile.Memory, stage: str, failing: Failing) -> None:
    """See a stage fail for a second, and go on by itself."""
    until(lambda: failing.raised > 1)
    [told] = [each for each in memory.learning.status().background if each.stage == stage]
    assert told.times >= 1
    assert told.since <= told.next_try
    time.sleep(1)
    failing.works = True
    until(lambda: stage not in stage_failing(memory))


def logged(caplog: pytest.LogCaptureFixture, error: Exception) -> None:
    """Check that the log has the class and the traceback of an error, and no content."""
    assert "Traceback (most recent call last)" in caplog.text
    assert type(error).__name__ in caplog.text
    assert CONTENT not in caplog.text
    assert {record.name.partition(".")[0] for record in caplog.records} == {"erstwhile"}


def test_embedding_recovers(
    error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with erstwhile.open(":memory:", embedder=UnreliableEmbedder()) as memory:
        failing = fail_writes(memory, error, monkeypatch)
        memory.scoped(user="ana").remember(f"the key is {CONTENT}")
        recovers(memory, "embedding", failing)
        until(lambda: not waiting(memory))
    logged(caplog, error)


def test_a_failing_embedder_is_reported(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    embedder = UnreliableEmbedder(spoiled_by(error))
    with erstwhile.open(":memory:", embedder=embedder) as memory:
        ana = memory.scoped(user="ana")
        ana.remember(f"the key is {CONTENT}")
        until(lambda: stage_failing(memory) == stage_failing(ana) == ["embedder"])
        embedder.spoil = None
        until(lambda: not waiting(memory) and not stage_failing(memory))
    logged(caplog, error)


def test_learning_recovers(
    error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with erstwhile.open(":memory:", embedder="none", llm=AnsweringLlm()) as memory:
        ana = memory.scoped(user="ana")
        failing = fail_writes(memory, error, monkeypatch)
        ana.observe_turn(f"I own a kettle. {CONTENT}", "Nice.")
        recovers(memory, "learning", failing)
        until(lambda: ana.facts.count() == 1)
    logged(caplog, error)


def test_the_usage_recorder_recovers(
    error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(usage_recorder, "_MAX_SECONDS", -1.0)
    with erstwhile.open(":memory:", embedder=UnreliableEmbedder()) as memory:
        memory.remember(f"Ana drinks tea {CONTENT}")
        until(lambda: not waiting(memory))
        failing = fail_writes(memory, error, monkeypatch)
        assert memory.context("tea").items
        recovers(memory, "usage", failing)
        count = "SELECT COUNT(*) FROM fact_uses"
        assert memory._access.engine.read(lambda session: session.rows(count, {})) == [(1,)]
    logged(caplog, error)


def test_the_listener_recovers(
    error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    listener = pytest.importorskip("erstwhile.engines.postgres.engine")
    monkeypatch.setattr(listener, "_DELAY", 0.0)
    stage, heard = JobHealth("listening", SystemClock()), threading.Event()
    failing = Failing(Connected, error)
    listening = listener.Listener(failing, [heard.set], stage)
    until(lambda: failing.raised > 1)
    assert stage.failure is not None
    assert not heard.is_set()
    failing.works = True
    assert heard.wait(60)
    until(lambda: stage.failure is None)
    listening.stop()
    logged(caplog, error)


class Connected:
    """A session, and its connection, on which nothing is ever announced."""

    def __init__(self) -> None:
        import socket

        self.connection = self
        self._ours, self._theirs = socket.socketpair()

    def channel(self) -> str:
        return "erstwhile_channel"

    def __enter__(self) -> Connected:
        return self

    def __exit__(self, *_: object) -> None:
        self._ours.close()
        self._theirs.close()

    def execute(self, _statement: str) -> None:
        pass

    def fileno(self) -> int:
        return self._ours.fileno()


def test_the_pause_grows_up_to_a_limit() -> None:
    stage = JobHealth("embedding", FakeClock())
    delays = [stage.failed(StorageError("no")) for _ in range(100)]
    assert delays[:4] == [0.2, 0.4, 0.8, 1.6]
    assert set(delays[10:]) == {60.0}
    stage.succeeded()
    assert stage.failed(StorageError("no")) == 0.2


def test_a_failure_is_counted_from_the_first_error_in_a_row() -> None:
    clock = FakeClock()
    stages = HealthRegistry(clock)
    assert list(stages.failures) == []
    began = clock.now()
    stages.usage.failed(StorageError("the disk is full"))
    clock.advance(seconds=10)
    stages.usage.failed(TypeError(CONTENT))
    [failure] = stages.failures
    assert (failure.stage, failure.error, failure.message) == ("usage", "TypeError", "")
    assert (failure.since, failure.times) == (began, 2)
    assert failure.next_try > clock.now()


def raising(error: Exception) -> Callable[[], Iterator[int]]:
    def work() -> Iterator[int]:
        raise error

    return work


def test_a_closed_memory_ends_the_thread_at_once() -> None:
    stage = JobHealth("embedding", SystemClock())
    thread = BackgroundThread(raising(ClosedError("it was closed")), stage)
    thread.wake()
    assert thread._thread is not None
    thread._thread.join(60)
    assert not thread._thread.is_alive()
    assert stage.failure is None


def test_stopping_does_not_wait_for_the_next_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_FIRST_DELAY", 60.0)

    stage = JobHealth("embedding", SystemClock())
    thread = BackgroundThread(raising(StorageError("no")), stage)
    thread.wake()
    until(lambda: stage.failure)
    began = time.monotonic()
    thread.stop()
    assert time.monotonic() - began < 30


def test_the_causes_of_an_error_are_logged_without_content(
    caplog: pytest.LogCaptureFixture,
) -> None:
    try:
        try:
            raise KeyError(CONTENT)
        except KeyError as inner:
            raise ValueError(f"no {CONTENT}") from inner
    except ValueError as error:
        log_failure("erstwhile.test", "%d records wait", 3, error=error)
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage() == "3 records wait"
    assert CONTENT not in caplog.text
    assert caplog.text.index("KeyError") < caplog.text.index("ValueError")


def test_an_os_error_is_logged_in_the_words_of_the_system(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """An embedder of somebody else may raise one that quotes the text."""
    for error in (OSError(errno.EIO, f"cannot send {CONTENT}"), OSError(CONTENT)):
        log_failure("erstwhile.test", "embedding failed", error=error)
    assert os.strerror(errno.EIO) in caplog.text
    assert CONTENT not in caplog.text


def test_nothing_is_printed_unless_logging_is_configured(tmp_path: Path) -> None:
    code = """
import erstwhile
from erstwhile.core.background import JobHealth
from erstwhile.testing.clock import FakeClock

JobHealth("embedding", FakeClock()).failed(TypeError("x"))
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
