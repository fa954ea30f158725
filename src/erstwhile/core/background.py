"""Background work: a thread that continues after every error, and a record of its failures."""

from __future__ import annotations

import atexit
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from weakref import WeakSet

from erstwhile.core.errors import ClosedError, ForkedError
from erstwhile.core.logs import log_failure, safe_message
from erstwhile.core.ports import Clock
from erstwhile.core.public_record import PublicRecord, public_record

_PAUSE = 0.2
"""Seconds of delay before work begins, so that a short program loads no model."""
_LOOK_EVERY = 5.0
"""Seconds after which the thread looks for work without being woken."""
_FIRST_DELAY, _MAX_DELAY = 0.2, 60.0
"""Seconds between two tries after a failure: doubled each time, up to the longest."""


@public_record
class BackgroundFailure(PublicRecord):
    """The failures in a row of one kind of background work in this process."""

    stage: str
    """`embedding`, `embedder`, `learning`, `usage` or `listening`."""
    error: str
    """The class of the newest error."""
    message: str
    """The message of the error; empty if it could quote content."""
    since: datetime
    times: int
    next_try: datetime


class JobHealth:
    """One kind of background work, with its failures since it last succeeded."""

    def __init__(self, name: str, clock: Clock) -> None:
        self.name = name
        self.failure: BackgroundFailure | None = None
        self._clock = clock

    def failed(self, error: BaseException) -> float:
        """Log a failure and record it; return the seconds to wait before the next try."""
        before = self.failure.times if self.failure else 0
        delay = min(_FIRST_DELAY * 2.0 ** min(before, 30), _MAX_DELAY)
        self.record(error, delay)
        message = "background %s failed, %d times in a row; next try in %.1f seconds"
        log_failure(__name__, message, self.name, before + 1, delay, error=error)
        return delay

    def record(self, error: BaseException, delay: float) -> None:
        """Record a failure whose next try is in `delay` seconds, without logging it."""
        before, now = self.failure, self._clock.now()
        self.failure = BackgroundFailure(
            stage=self.name,
            error=type(error).__name__,
            message=safe_message(error),
            since=before.since if before else now,
            times=before.times + 1 if before else 1,
            next_try=now + timedelta(seconds=delay),
        )

    def succeeded(self) -> None:
        """Forget earlier failures."""
        self.failure = None


class HealthRegistry:
    """All background work of one memory in this process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._all: list[JobHealth] = []
        self.embedding, self.embedder = self.added("embedding"), self.added("embedder")
        self.usage, self.listening = self.added("usage"), self.added("listening")

    def added(self, name: str) -> JobHealth:
        """Return a new stage. Each of several learners has one, all with the same name."""
        self._all.append(stage := JobHealth(name, self._clock))
        return stage

    @property
    def failures(self) -> tuple[BackgroundFailure, ...]:
        """The work that fails now; of several threads with the same work, the longest row."""
        failing = filter(None, [stage.failure for stage in self._all])
        worst = {each.stage: each for each in sorted(failing, key=lambda each: each.times)}
        return tuple(worst.values())


_LAST_STEPS = 20.0
"""Seconds that a program waits at its end for the current steps of all threads. The longest one
loads a model, which takes over five seconds on a busy machine."""
_started: WeakSet[BackgroundThread] = WeakSet()


@atexit.register
def _halt_all() -> None:
    """End the threads of memories that were not closed.

    Python kills threads while it shuts down. A thread inside an extension, such as a tokenizer,
    would abort the whole process.
    """
    end_all(list(_started), _LAST_STEPS)


def end_all(threads: Sequence[BackgroundThread], seconds: float) -> None:
    """Ask all threads to end, then wait for them, no longer than these seconds together."""
    end = time.monotonic() + seconds
    for thread in threads:
        thread.ask_to_end()
    for thread in threads:
        thread.join(max(end - time.monotonic(), 0.0))


class BackgroundThread:
    """A thread that starts when first woken, sleeps while no work is due, and ends with the memory.

    After an error it waits and continues. Only closing the memory ends it. Then its current step is
    the last one. With `out_of_time` it works once more until nothing is due or that is true.
    """

    def __init__(
        self,
        work: Callable[[], Iterator[object]],
        stage: JobHealth,
        out_of_time: Callable[[], bool] = lambda: True,
    ) -> None:
        self._work = work
        self._stage = stage
        self._out_of_time = out_of_time
        self._is_working_now = False
        # Unlike an event, a queue stays consistent if an interrupt comes while the thread is woken.
        self._woken: SimpleQueue[None] = SimpleQueue()
        self._stopped = Event()
        self._starting = Lock()
        self._thread: Thread | None = None
        self._process = os.getpid()

    @property
    def is_working(self) -> bool:
        """Whether the thread was ever started in this process."""
        return self._thread is not None and self._process == os.getpid()

    @property
    def is_busy(self) -> bool:
        """Whether the thread is doing its work at this moment."""
        return self.is_working and self._is_working_now

    @property
    def is_ending(self) -> bool:
        """Whether the thread was asked to end."""
        return self._stopped.is_set()

    def wake(self) -> None:
        """Start the thread or wake it: work may be due."""
        if self._woken.empty():
            self._woken.put(None)
        if not self.is_working:
            self._start()

    def stop(self) -> None:
        """Finish the current step, and end the thread. The rest of the work stays in the store."""
        self.ask_to_end()
        self.join()

    def ask_to_end(self) -> None:
        """Let the thread end, without waiting for it."""
        self._stopped.set()
        self._woken.put(None)

    def join(self, seconds: float | None = None) -> None:
        """Wait until the thread has ended, no longer than these seconds."""
        if self._thread is not None and self.is_working:
            self._thread.join(seconds)

    def _start(self) -> None:
        with self._starting:
            forked = self._process != os.getpid()
            if self._stopped.is_set() or (self._thread is not None and not forked):
                return
            self._process = os.getpid()
            _started.add(self)
            name = f"erstwhile-{self._stage.name}"
            self._thread = Thread(target=self._run, name=name, daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while not self._stopped.is_set():
            with suppress(Empty):
                self._woken.get(timeout=_LOOK_EVERY)
            if not self._stopped.wait(_PAUSE):
                self._try_to_work()
        if not self._out_of_time():
            self._try_to_work()

    def _try_to_work(self) -> None:
        self._is_working_now = True
        try:
            for _ in self._work():
                if self._stopped.is_set() and self._out_of_time():
                    return
            self._stage.succeeded()
        except (ClosedError, ForkedError):
            self._stopped.set()
        except Exception as error:
            delay = self._stage.failed(error)
            self._woken.put(None)
            self._stopped.wait(delay)
        finally:
            self._is_working_now = False


_LAST_WORDS = 1.0
"""Seconds that the threads get at their end to cancel calls and to give back leases."""


class BackgroundPool:
    """Several threads with the same work. A thread starts when work comes and the others are busy.

    The threads end with the memory, when no work is left or when the time for closing is over.
    """

    def __init__(self, work: Callable[[], Iterator[object]], stages: Sequence[JobHealth]) -> None:
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
