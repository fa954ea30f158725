"""A pool of background threads that share one kind of work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from erstwhile.core.background import BackgroundThread, Stage, end_all

_LAST_WORDS = 1.0
"""Seconds that the threads get at their end to cancel calls and to give back leases."""


class BackgroundPool:
    """Several threads with the same work. A thread starts when work comes and the others are busy.

    The threads end with the memory, when no work is left or when the time for closing is over.
    """

    def __init__(self, work: Callable[[], Iterator[object]], stages: Sequence[Stage]) -> None:
        self._threads = [BackgroundThread(work, stage, self.is_out_of_time) for stage in stages]
        self._deadline = 0.0

    @property
    def is_working(self) -> bool:
        """Whether a thread was ever started in this process."""
        return any(thread.is_working for thread in self._threads)

    @property
    def is_ending(self) -> bool:
        """Whether the threads were asked to end."""
        return any(thread.is_ending for thread in self._threads)

    def wake(self) -> None:
        """Let a thread that has nothing to do look for work; if all are busy, all look later."""
        idle = [thread for thread in self._threads if not thread.is_busy]
        for thread in idle[:1] or self._threads:
            thread.wake()

    def is_out_of_time(self) -> bool:
        """Return whether the threads were asked to end, and have no time left."""
        return self.is_ending and time.monotonic() > self._deadline

    def stop(self) -> None:
        """End all threads after their current step. The rest of the work stays in the store."""
        end_all(self._threads, _LAST_WORDS)

    def _finish(self, seconds: float) -> None:
        """Let all threads work once more, no longer than these seconds, and end them."""
        self._deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.wake()
        end_all(self._threads, seconds + _LAST_WORDS)
