"""Listening socket, and worker processes behind it.

The parent opens the socket and nothing else, so a fork is safe. Each worker opens the memory.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import FrameType

from erstwhile.core.errors import InvalidInputError

UNUSABLE = 3
"""Exit code of a worker that cannot start. It is not restarted."""
_PAUSE = 1.0
"""Seconds before a worker is restarted."""
_BACKLOG = 1024
"""The most connections that wait to be accepted."""


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket, with port 0 at any free port.

    Connections inherit TCP_NODELAY from it. asyncio sets it only for sockets that name their
    protocol, which these do not; without it the end of a response waits 40 ms for the client.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        opened = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise InvalidInputError(
            f"the server cannot listen at {host}, port {port}: {error.strerror}",
            remedy="give another --port",
        ) from None
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened


@dataclass
class Workers:
    """Worker processes of one server. They stop when the parent gets SIGTERM or SIGINT."""

    count: int
    work: Callable[[], int]
    """The function of a worker. It returns an exit code; UNUSABLE stops the server."""
    patience: float
    on_exit: Callable[[int], None]
    _pids: set[int] = field(default_factory=set, init=False)
    _ending: bool = field(default=False, init=False)
    _usable: bool = field(default=True, init=False)

    def run(self) -> bool:
        """Keep the workers running until a signal comes. Return False if they cannot start."""
        numbers = (signal.SIGTERM, signal.SIGINT)
        handlers = {number: signal.signal(number, self._end) for number in numbers}
        try:
            while not self._ending:
                while len(self._pids) < self.count and not self._ending:
                    self._start()
                self._wait()
            self._finish()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        return self._usable

    def _start(self) -> None:
        pid = os.fork()
        if pid:
            self._pids.add(pid)
            return
        code = 1
        try:
            signal.signal(signal.SIGTERM, exit_quietly)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent passes it on
            if not self._ending:  # a signal may have come just after the fork
                code = self.work()
        except SystemExit:
            code = 0
        finally:
            os._exit(code)  # the parent closes its own files

    def _wait(self) -> None:
        """Wait until a worker exits or a signal comes."""
        try:
            pid, status = os.wait()
        except (ChildProcessError, InterruptedError):
            return
        self._remove(pid)
        if os.waitstatus_to_exitcode(status) == UNUSABLE:
            self._usable = False
            self._end(signal.SIGTERM, None)
        elif not self._ending:
            time.sleep(_PAUSE)

    def _remove(self, pid: int) -> None:
        self._pids.discard(pid)
        self.on_exit(pid)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        self._ending = True
        for pid in self._pids:
            with suppress(ProcessLookupError):  # it has just exited
                os.kill(pid, signal.SIGTERM)

    def _finish(self) -> None:
        """Wait for all workers, and kill those that do not stop in time."""
        deadline = time.monotonic() + self.patience
        while self._pids:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if pid:
                self._remove(pid)
            elif time.monotonic() > deadline:
                for each in self._pids:
                    os.kill(each, signal.SIGKILL)
                deadline += self.patience
            else:
                time.sleep(0.02)


def exit_quietly(_number: int, _frame: FrameType | None) -> None:
    """Exit without a traceback: uvicorn raises the signal again after its shutdown."""
    raise SystemExit(0)
