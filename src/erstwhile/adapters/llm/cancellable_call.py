"""A call that may take long, made so that the caller can leave before it ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import TypeVar

from erstwhile.core.errors import LlmError

SLICE = 0.1
"""How many seconds pass between two questions whether to go on."""
Result = TypeVar("Result")


def watched(call: Callable[[], Result], cancelled: Callable[[], bool], longest: float) -> Result:
    """What the call gives; LlmError if it takes too long, or soon after it is `cancelled`.

    The call runs on a thread of its own. Left alone, that ends when the server answers or when the
    connection times out, and its answer is lost.
    """
    future: Future[Result] = Future()
    _start(Thread(target=_fulfil, args=(future, call), name="erstwhile-llm", daemon=True))
    deadline = time.monotonic() + longest
    while not future.done():
        left = deadline - time.monotonic()
        if left <= 0:
            raise too_slow(longest)
        if cancelled():
            raise interrupted()
        wait([future], timeout=min(left, SLICE))
    return future.result()


def too_slow(longest: float) -> LlmError:
    return LlmError(f"the language model did not answer within {longest:g} seconds", remedy="wait")


def interrupted() -> LlmError:
    return LlmError("the question to the language model was cancelled")


def _start(thread: Thread) -> None:
    try:
        thread.start()
    except RuntimeError:  # there are too many, or the program is about to end
        raise LlmError("no thread can be started to ask the language model") from None


def _fulfil(future: Future[Result], call: Callable[[], Result]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:  # whatever it is, it belongs to who waits
        future.set_exception(error)
