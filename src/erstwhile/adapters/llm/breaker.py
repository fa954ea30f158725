"""A circuit breaker: after several failures in a row, calls are blocked for a while."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from erstwhile.core.errors import LlmError
from erstwhile.core.fork_safety import ForkSafeLock
from erstwhile.core.logs import log_failure

FAILURES = 3
PAUSE = 30.0


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
        self._most = failures
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
            if works is False and self._failures + 1 >= self._most:
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
                if self._failures >= self._most:
                    self._opened = self._now()
