"""A thread that works off what waits in the store, after the caller has moved on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread

from erstwhile.core.errors import BusyError, ErstwhileError
from erstwhile.core.forks import forks_wait

_PAUSE = 0.2
"""Seconds of quiet before it begins: a program that only stores and exits never loads a model."""
_RETRY = 5.0


class Worker:
    """Starts with the first change, sleeps while nothing waits, and ends with the memory."""

    def __init__(
        self, drain: Callable[[], Iterator[int]], name: str = "erstwhile-embedding"
    ) -> None:
        self._drain = drain
        self._name = name
        # Unlike an event, it is left sound by an interrupt in the middle of waking.
        self._woken: SimpleQueue[None] = SimpleQueue()
        self._stopped = Event()
        self._starting = Lock()
        self._thread: Thread | None = None
        self._process = os.getpid()
        self._has_loaded = False

    @property
    def is_working(self) -> bool:
        """Whether it was ever woken in this process."""
        return self._thread is not None and self._process == os.getpid()

    def wake(self) -> None:
        """Something may wait."""
        if self._woken.empty():
            self._woken.put(None)
        if not self.is_working:
            self._start()

    def stop(self) -> None:
        """Finish the batch under way; the rest waits in the store for another time."""
        self._stopped.set()
        self._woken.put(None)
        if self._thread is not None and self.is_working:
            self._thread.join()

    def _start(self) -> None:
        with self._starting:
            forked = self._process != os.getpid()
            if self._stopped.is_set() or (self._thread is not None and not forked):
                return
            self._process = os.getpid()
            self._thread = Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while not self._stopped.is_set():
            with suppress(Empty):
                self._woken.get(timeout=_RETRY)
            if not self._stopped.wait(_PAUSE):
                self._work()

    def _work(self) -> None:
        try:
            for _ in self._steps():
                if self._stopped.is_set():
                    return
        except BusyError:
            self._woken.put(None)
        except ErstwhileError:
            # The store is closed or in trouble: whoever uses it next is told, this thread ends.
            self._stopped.set()

    def _steps(self) -> Iterator[int]:
        """The first of all loads what the others need, too."""
        steps = self._drain()
        if not self._has_loaded:
            with forks_wait():
                yield from islice(steps, 1)
            self._has_loaded = True
        yield from steps
