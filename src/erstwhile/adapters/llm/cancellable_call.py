"""A slow call that can be cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import TypeVar

from erstwhile.core.errors import LlmError

SLICE = 0.1
"""Seconds between two checks whether the call was cancelled."""
Result = TypeVar("Result")


def run_cancellable(
    call: Callable[[], Result], cancelled: Callable[[], bool], longest: float
) -> Result:
    """Return the result of a call. Raise LlmError if it takes too long or is `cancelled`.

    The call runs on a thread of its own. If it is cancelled, the thread continues until the server
    answers or the connection times out, and the answer is lost.
    """
    future: Future[Result] = Future()
    _start(Thread(target=_fulfil, args=(future, call), name="erstwhile-llm", daemon=True))
    deadline = time.monotonic() + longest
    while not future.done():
        left = deadline - time.monotonic()
        if left <= 0:
            raise too_slow(longest)
        if cancelled():
            raise was_cancelled()
        wait([future], timeout=min(left, SLICE))
    return future.result()


def too_slow(longest: float) -> LlmError:
    """Return the error for an answer that takes too long."""
    return LlmError(f"the language model did not answer within {longest:g} seconds", remedy="wait")


def was_cancelled() -> LlmError:
    """Return the error for a call that was cancelled."""
    return LlmError("the question to the language model was cancelled")


def _start(thread: Thread) -> None:
    try:
        thread.start()
    except RuntimeError:  # too many threads, or the program is about to end
        raise LlmError("no thread can be started to ask the language model") from None


def _fulfil(future: Future[Result], call: Callable[[], Result]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:  # the waiting thread raises it
        future.set_exception(error)
