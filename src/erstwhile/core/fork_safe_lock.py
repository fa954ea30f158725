"""A lock for what a process and its children both use."""

from __future__ import annotations

import os
from threading import Lock
from types import TracebackType


class ForkSafeLock:
    """A lock that a child process finds open, whoever held it in the parent.

    The thread that held it does not exist in the child, so nobody there would ever release it.
    """

    def __init__(self) -> None:
        self._lock, self._process = Lock(), os.getpid()

    def __enter__(self) -> None:
        if self._process != os.getpid():
            self._lock, self._process = Lock(), os.getpid()
        self._lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._lock.release()
