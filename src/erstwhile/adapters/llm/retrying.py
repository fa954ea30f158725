"""Retries of a language model, with a circuit breaker.

After several failures in a row, the breaker blocks calls for a while.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from erstwhile.adapters.http_common import MAX_PAUSE, backoff
from erstwhile.adapters.llm.failures import was_cancelled
from erstwhile.core.errors import LlmError
from erstwhile.core.fork_safety import ForkSafeLock
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Completion, Llm, Prompt

TRIES = 3
MAX_TRYING = 30.0
"""Seconds after which no further try begins: a caller waits, or holds a lease."""
FAILURES = 3
"""Temporary failures in a row that open the breaker."""
PAUSE = 30.0
"""Seconds for which the breaker stays open."""
_CHECK_EVERY = 0.1
"""Seconds between two checks whether the call was cancelled."""


@dataclass(eq=False)
class Breaker:
    """Closed: all calls pass. Open: no call passes. After a pause, one call at a time is a trial.

    Only temporary failures count. A permanent failure shows that the server answers.
    """

    most_failures: int = FAILURES
    pause: float = PAUSE
    now: Callable[[], float] = time.monotonic
    _lock: ForkSafeLock = field(default_factory=ForkSafeLock, init=False)
    _failures: int = field(default=0, init=False)
    _opened: float | None = field(default=None, init=False)
    _tried_by: int | None = field(default=None, init=False)
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
            if works is False and self._failures + 1 >= self.most_failures:
                log_failure(
                    __name__, "the model is not called for %g seconds", self.pause, error=error
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
                    retry_after=max(left, 0.0) or self.pause,
                )
            self._tried_by = os.getpid()
            return True

    def _seconds_left(self) -> float | None:
        return None if self._opened is None else self._opened + self.pause - self.now()

    def _leave(self, works: bool | None, *, trial: bool) -> None:
        with self._lock:
            if trial:
                self._tried_by = None
            if works:
                self._failures, self._opened = 0, None
            elif works is False:
                self._failures += 1
                if self._failures >= self.most_failures:
                    self._opened = self.now()


@dataclass(eq=False, repr=False)
class RetryingLlm:
    """A language model that retries temporary failures after a pause."""

    llm: Llm
    breaker: Breaker = field(default_factory=Breaker)
    tries: int = TRIES
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.monotonic

    def __repr__(self) -> str:
        return f"<RetryingLlm {self.llm!r}>"

    @property
    def model(self) -> str:
        return self.llm.model

    @property
    def left_alone(self) -> float | None:
        """Seconds for which the open breaker blocks calls; None if it is closed."""
        return self.breaker.left

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        with self.breaker.passing(cancelled):
            return self._with_retries(prompt, cancelled)

    def _with_retries(self, prompt: Prompt, cancelled: Callable[[], bool]) -> Completion:
        began, tries = self.now(), 1
        while True:
            try:
                if cancelled():
                    raise was_cancelled()
                return self.llm.complete(prompt, cancelled)
            except LlmError as error:
                late = self.now() - began > MAX_TRYING
                if late or tries == self.tries or not _is_worth_a_retry(error):
                    raise
                log_failure(__name__, "the call of the language model is retried", error=error)
                pause = (error.retry_after or 0.0) + backoff(tries)
            while pause > 0 and not cancelled():
                self.sleep(min(pause, _CHECK_EVERY))
                pause -= _CHECK_EVERY
            tries += 1


def _is_worth_a_retry(error: LlmError) -> bool:
    """Return whether to retry now. A paid call is not repeated: the caller knows the budget."""
    return (
        error.retryable
        and error.spent is None
        and (error.retry_after is None or error.retry_after <= MAX_PAUSE)
    )
