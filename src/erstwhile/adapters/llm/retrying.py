"""A language model, asked with patience: again when it may help, and not while it is down."""

from __future__ import annotations

import time
from collections.abc import Callable

from erstwhile.adapters.backoff import LONGEST_PAUSE, backoff
from erstwhile.adapters.llm.breaker import Breaker
from erstwhile.adapters.llm.cancellable_call import SLICE, interrupted
from erstwhile.core.errors import LlmError
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Completion, Llm, Prompt

TRIES = 3
LONGEST_TRYING = 30.0
"""Seconds after which no further try begins: somebody waits, or holds a lease."""


class CarefulLlm:
    """Tries a few times what may pass, waits as long as the server asks, and can be cancelled."""

    def __init__(
        self,
        llm: Llm,
        breaker: Breaker | None = None,
        *,
        tries: int = TRIES,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._llm = llm
        self._breaker = breaker or Breaker()
        self._tries = tries
        self._sleep = sleep
        self._now = now

    def __repr__(self) -> str:
        return f"<CarefulLlm {self._llm!r}>"

    @property
    def model(self) -> str:
        return self._llm.model

    @property
    def left_alone(self) -> float | None:
        """Seconds for which it is not asked, since it failed several times; None if it may be."""
        return self._breaker.left

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        with self._breaker.passing(cancelled):
            return self._persistently(prompt, cancelled)

    def _persistently(self, prompt: Prompt, cancelled: Callable[[], bool]) -> Completion:
        began, tries = self._now(), 1
        while True:
            try:
                return self._once(prompt, cancelled)
            except LlmError as error:
                late = self._now() - began > LONGEST_TRYING
                if late or tries == self._tries or not _may_pass_soon(error):
                    raise
                log_failure(__name__, "the language model is asked again", error=error)
                pause = (error.retry_after or 0.0) + backoff(tries)
            self._wait(pause, cancelled)
            tries += 1

    def _once(self, prompt: Prompt, cancelled: Callable[[], bool]) -> Completion:
        if cancelled():
            raise interrupted()
        return self._llm.complete(prompt, cancelled)

    def _wait(self, seconds: float, cancelled: Callable[[], bool]) -> None:
        while seconds > 0:
            if cancelled():
                raise interrupted()
            self._sleep(min(seconds, SLICE))
            seconds -= SLICE


def _may_pass_soon(error: LlmError) -> bool:
    """What was paid for is not asked again here: whether it may be is for who counts the money."""
    return (
        error.retryable
        and error.spent is None
        and (error.retry_after is None or error.retry_after <= LONGEST_PAUSE)
    )
