"""Retries of a language model, with a circuit breaker.

After several failures in a row, the breaker blocks calls for a while.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from erstwhile.adapters.http_common import LONGEST_PAUSE, backoff
from erstwhile.adapters.llm.failures import was_cancelled
from erstwhile.core.errors import LlmError
from erstwhile.core.fork_safety import ForkSafeLock
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Completion, Llm, Prompt

TRIES = 3
LONGEST_TRYING = 30.0
"""Seconds after which no further try begins: a caller waits, or holds a lease."""
FAILURES = 3
"""Temporary failures in a row that open the breaker."""
PAUSE = 30.0
"""Seconds for which the breaker stays open."""
_CHECK_EVERY = 0.1
"""Seconds between two checks whether the call was cancelled."""


class Breaker:
    """Closed: all calls pass. Open: no call passes. After a pause, one call at a time is a trial.

    Only temporary failures count. A permanent failure shows that the server answers.
    """

    def __init__(
        self,
        failures: int = FAILURES,
        pause: float = PAUSE,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most_failures = failures
        self._pause = pause
        self._now = now
        self._lock = ForkSafeLock()
        self._failures = 0
        self._opened: float | None = None
        self._tried_by: int | None = None
        """The process that makes the trial: a child does not inherit the trial of its parent."""

    @property
    def left(self) -> float | None:
        """Seconds until a trial is allowed, zero or less if it is now; None while closed."""
        with self._lock:
            return self._seconds_left()

    @contextmanager
    def passing(self, cancelled: Callable[[], bool]) -> Iterator[None]:
        """Guard a call: raise LlmError while open. A cancelled call is not counted."""
        trial = self._enter()
        works: bool | None = None
        try:
            yield
            works = True
        except LlmError as error:
            works = None if cancelled() else not error.retryable
            if works is False and self._failures + 1 >= self._most_failures:
                log_failure(
                    __name__, "the model is not called for %g seconds", self._pause, error=error
                )
            raise
        finally:
            self._leave(works, trial=trial)

    def _enter(self) -> bool:
        """Return whether this call is the trial."""
        with self._lock:
            left = self._seconds_left()
            if left is None:
                return False
            if left > 0 or self._tried_by == os.getpid():
                raise LlmError(
                    "the language model failed several times and is not called for a while",
                    remedy="wait",
                    retry_after=max(left, 0.0) or self._pause,
                )
            self._tried_by = os.getpid()
            return True

    def _seconds_left(self) -> float | None:
        return None if self._opened is None else self._opened + self._pause - self._now()

    def _leave(self, works: bool | None, *, trial: bool) -> None:
        with self._lock:
            if trial:
                self._tried_by = None
            if works:
                self._failures, self._opened = 0, None
            elif works is False:
                self._failures += 1
                if self._failures >= self._most_failures:
                    self._opened = self._now()


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
                if cancelled():
                    raise was_cancelled()
                return self._llm.complete(prompt, cancelled)
            except LlmError as error:
                late = self._now() - began > LONGEST_TRYING
                if late or tries == self._tries or not _is_worth_a_retry(error):
                    raise
                log_failure(__name__, "the call of the language model is retried", error=error)
                pause = (error.retry_after or 0.0) + backoff(tries)
            while pause > 0 and not cancelled():
                self._sleep(min(pause, _CHECK_EVERY))
                pause -= _CHECK_EVERY
            tries += 1


def _is_worth_a_retry(error: LlmError) -> bool:
    """Return whether to retry now. A paid call is not repeated: the caller knows the budget."""
    return (
        error.retryable
        and error.spent is None
        and (error.retry_after is None or error.retry_after <= LONGEST_PAUSE)
    )
