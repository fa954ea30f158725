"""The circuit breaker: closed, open, trial, closed again."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from threading import Barrier, Event, Thread

import pytest

from erstwhile.adapters.llm.retrying import Breaker
from erstwhile.core.errors import LlmError

PAUSE = 30.0


class Circuit:
    """A breaker of three failures, with a clock that the test moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.breaker = Breaker(3, PAUSE, now=lambda: self.now)

    def call(self, error: BaseException | None = None, *, cancelled: bool = False) -> None:
        with self.breaker.passing(lambda: cancelled):
            if error is not None:
                raise error

    def fail(self, times: int = 1, *, retryable: bool = True) -> None:
        for _ in range(times):
            with pytest.raises(LlmError, match="down"):
                self.call(LlmError("down", retryable=retryable))

    def refuses(self) -> bool:
        with suppress(LlmError):
            self.call()
            return False
        return True


@pytest.fixture
def circuit() -> Circuit:
    return Circuit()


def test_it_opens_after_failures_in_a_row(circuit: Circuit) -> None:
    circuit.fail(2)
    circuit.call()
    circuit.fail(2)
    assert not circuit.refuses()
    circuit.fail(3)
    assert circuit.refuses()


def test_it_tells_how_long_it_stays_open(circuit: Circuit) -> None:
    """None while it is closed; negative when a trial is allowed."""
    left = [circuit.breaker.left]
    circuit.fail(3)
    circuit.now = PAUSE - 1
    with pytest.raises(LlmError) as caught:
        circuit.call()
    assert (caught.value.retry_after, caught.value.retryable) == (1, True)
    for circuit.now in (PAUSE - 1, PAUSE + 1):
        left.append(circuit.breaker.left)
    circuit.call()
    assert [*left, circuit.breaker.left] == [None, 1, -1, None]


def test_it_is_tried_after_the_pause_and_closes(circuit: Circuit) -> None:
    circuit.fail(3)
    circuit.now = PAUSE - 0.1
    assert circuit.refuses()
    circuit.now = PAUSE
    circuit.call()
    circuit.fail(2)
    assert not circuit.refuses()


def test_a_trial_that_fails_opens_it_for_as_long_again(circuit: Circuit) -> None:
    """A single failed trial is enough."""
    circuit.fail(3)
    circuit.now = PAUSE
    circuit.fail(1)
    circuit.now = 2 * PAUSE - 0.1
    assert circuit.refuses()
    circuit.now = 2 * PAUSE
    assert not circuit.refuses()


def test_what_will_not_pass_shows_that_the_server_answers(circuit: Circuit) -> None:
    circuit.fail(99, retryable=False)
    circuit.fail(2)
    circuit.fail(1, retryable=False)
    circuit.fail(2)
    assert not circuit.refuses()
    circuit.fail(3)
    circuit.now = PAUSE
    circuit.fail(1, retryable=False)
    assert not circuit.refuses()


@pytest.mark.parametrize(
    ("error", "cancelled"), [(LlmError("cancelled"), True), (KeyboardInterrupt(), False)]
)
def test_a_call_that_was_broken_off_says_nothing(
    circuit: Circuit, error: BaseException, cancelled: bool
) -> None:
    """It does not count, and a trial does not stay open for ever."""
    for _ in range(9):
        with pytest.raises(type(error)):
            circuit.call(error, cancelled=cancelled)
    assert not circuit.refuses()
    circuit.fail(3)
    circuit.now = PAUSE
    with pytest.raises(type(error)):
        circuit.call(error, cancelled=cancelled)
    circuit.call()


def test_one_thread_tries_and_the_others_are_refused(circuit: Circuit) -> None:
    """Check and entry are one atomic step."""
    circuit.fail(3)
    circuit.now = PAUSE
    start, decided, release = Barrier(8, timeout=60), Barrier(9, timeout=60), Event()
    entered, refused = list[int](), list[float | None]()

    def enter(number: int) -> None:
        start.wait(60)
        try:
            with circuit.breaker.passing(lambda: False):
                entered.append(number)
                decided.wait(60)
                release.wait(60)
        except LlmError as error:
            refused.append(error.retry_after)
            decided.wait(60)

    threads = [Thread(target=enter, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    decided.wait(60)
    assert (len(entered), refused) == (1, [PAUSE] * 7)
    assert circuit.refuses()
    release.set()
    for thread in threads:
        thread.join(60)
    assert not circuit.refuses()


def test_a_late_failure_does_not_end_the_trial_of_another(circuit: Circuit) -> None:
    """A call from before may fail at any time; there is still only one trial."""
    late = circuit.breaker.passing(lambda: False)
    late.__enter__()
    circuit.fail(3)
    circuit.now = PAUSE
    with circuit.breaker.passing(lambda: False):
        error = LlmError("late")
        assert not late.__exit__(LlmError, error, None)
        circuit.now = 3 * PAUSE
        assert circuit.refuses()
    assert not circuit.refuses()


FORKING = """
import os, sys
from erstwhile.adapters.llm.retrying import Breaker
from erstwhile.core.errors import LlmError
breaker = Breaker(1, 0.0)
try:
    with breaker.passing(lambda: False):
        raise LlmError("down")
except LlmError:
    pass
with breaker.passing(lambda: False):
    if not (child := os.fork()):
        with breaker.passing(lambda: False):
            os._exit(0)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_does_not_wait_for_the_trial_of_its_parent() -> None:
    """No thread of the child would ever end it."""
    done = subprocess.run([sys.executable, "-c", FORKING], timeout=300, check=False)
    assert done.returncode == 0
