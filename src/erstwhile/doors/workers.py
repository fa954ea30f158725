"""Several processes behind one port: a parent that starts workers, watches them and ends them.

The parent opens the port and nothing else, so a fork is safe. Each worker opens the memory itself.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

UNUSABLE = 3
"""The exit code of a worker that cannot begin: another one could not either."""
_PAUSE = 1.0
"""Seconds before a worker that ended is started again, so that a broken one does not spin."""


class Workers:
    """The workers of one server. They end when the parent gets SIGTERM or SIGINT."""

    def __init__(
        self,
        count: int,
        work: Callable[[], int],
        *,
        patience: float,
        forget: Callable[[int], None],
    ) -> None:
        """Take what a worker does. It returns an exit code; UNUSABLE ends the whole server."""
        self._count = count
        self._work = work
        self._patience = patience
        self._forget = forget
        self._pids = set[int]()
        self._ending = False
        self._usable = True

    def run(self) -> bool:
        """Keep the workers alive until a signal comes. Return False if they could not begin."""
        with _handling(self._end):
            while not self._ending:
                while len(self._pids) < self._count and not self._ending:
                    self._start()
                self._wait()
            self._finish()
        return self._usable

    def _start(self) -> None:
        pid = os.fork()
        if pid:
            self._pids.add(pid)
            return
        code = 1
        try:
            signal.signal(signal.SIGTERM, end_quietly)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent passes it on
            if not self._ending:  # a signal may have come just after the fork
                code = self._work()
        except SystemExit:
            code = 0
        finally:
            os._exit(code)  # what the parent has opened is not this process's to close

    def _wait(self) -> None:
        """Wait until a worker ends or a signal comes."""
        try:
            pid, status = os.wait()
        except (ChildProcessError, InterruptedError):
            return
        self._gone(pid)
        if os.waitstatus_to_exitcode(status) == UNUSABLE:
            self._usable = False
            self._end(signal.SIGTERM, None)
        elif not self._ending:
            time.sleep(_PAUSE)

    def _gone(self, pid: int) -> None:
        self._pids.discard(pid)
        self._forget(pid)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        self._ending = True
        for pid in self._pids:
            with suppress(ProcessLookupError):  # it ended just now, and is not yet counted out
                os.kill(pid, signal.SIGTERM)

    def _finish(self) -> None:
        """Wait for all workers; those that do not end in time are killed."""
        deadline = time.monotonic() + self._patience
        while self._pids:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if pid:
                self._gone(pid)
            elif time.monotonic() > deadline:
                for each in self._pids:
                    os.kill(each, signal.SIGKILL)
                deadline += self._patience
            else:
                time.sleep(0.02)


@contextmanager
def _handling(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def end_quietly(_number: int, _frame: FrameType | None) -> None:
    """End the process in order: uvicorn repeats the signal when it has finished."""
    raise SystemExit(0)
