"""Retries of a language model, with a circuit breaker."""

from __future__ import annotations

import time
from collections.abc import Callable

from erstwhile.adapters.backoff import LONGEST_PAUSE, backoff
from erstwhile.adapters.llm.breaker import Breaker
from erstwhile.adapters.llm.cancellable_call import SLICE, was_cancelled
from erstwhile.core.errors import LlmError
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Completion, Llm, Prompt

TRIES = 3
LONGEST_TRYING = 30.0
"""Seconds after which no further try begins: a caller waits, or holds a lease."""


class RetryingLlm:
    """A language model that retries temporary failures after a pause."""

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
        return f"<RetryingLlm {self._llm!r}>"

    @property
    def model(self) -> str:
        return self._llm.model

    @property
    def left_alone(self) -> float | None:
        """Seconds for which the open breaker blocks calls; None if it is closed."""
        return self._breaker.left

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        with self._breaker.passing(cancelled):
            return self._with_retries(prompt, cancelled)

    def _with_retries(self, prompt: Prompt, cancelled: Callable[[], bool]) -> Completion:
        began, tries = self._now(), 1
        while True:
            try:
                return self._once(prompt, cancelled)
            except LlmError as error:
                late = self._now() - began > LONGEST_TRYING
                if late or tries == self._tries or not _is_worth_a_retry(error):
                    raise
                log_failure(__name__, "the call of the language model is retried", error=error)
                pause = (error.retry_after or 0.0) + backoff(tries)
            self._wait(pause, cancelled)
            tries += 1

    def _once(self, prompt: Prompt, cancelled: Callable[[], bool]) -> Completion:
        if cancelled():
            raise was_cancelled()
        return self._llm.complete(prompt, cancelled)

    def _wait(self, seconds: float, cancelled: Callable[[], bool]) -> None:
        while seconds > 0:
            if cancelled():
                raise was_cancelled()
            self._sleep(min(seconds, SLICE))
            seconds -= SLICE


def _is_worth_a_retry(error: LlmError) -> bool:
    """Return whether to retry now. A paid call is not repeated: the caller knows the budget."""
    return (
        error.retryable
        and error.spent is None
        and (error.retry_after is None or error.retry_after <= LONGEST_PAUSE)
    )
