"""One thread for the matrix products of this library, without a lock around them.

For matrices as small as those of a sentence, a second thread of BLAS takes six times the CPU, and
longer. Most builds of BLAS have one number of threads for the whole process. There the first caller
that enters sets it to one, and the last that leaves puts it back, while all of them compute at the
same time. Builds with OpenMP have a number for each thread.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from erstwhile.adapters.embedders.packaged import imported


class OneBlasThread:
    """Gives a context that any number of threads may be in at once."""

    def __init__(self) -> None:
        # It finds the BLAS of numpy, which is loaded by now; to search at each call would be slow.
        found = imported("threadpoolctl", "threadpoolctl>=3.1").ThreadpoolController()
        self._per_thread = found.select(threading_layer="openmp")
        apart = self._per_thread.lib_controllers
        every = [library for library in found.lib_controllers if library.user_api == "blas"]
        self._shared = [library for library in every if library not in apart]
        self._before: list[int] = []
        self._begin()

    def _begin(self) -> None:
        self._lock, self._inside, self._process = Lock(), 0, os.getpid()

    @contextmanager
    def __call__(self) -> Iterator[None]:
        if self._process != os.getpid():
            # Threads of the parent that were inside do not exist here and will never leave.
            self._begin()
            self._restore()
        with self._per_thread.limit(limits=1, user_api="blas"):
            self._enter()
            try:
                yield
            finally:
                self._leave()

    def _enter(self) -> None:
        with self._lock:
            if not self._inside:
                self._before = [library.get_num_threads() for library in self._shared]
                for library in self._shared:
                    _set(library, 1)
            self._inside += 1

    def _leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._restore()

    def _restore(self) -> None:
        for library, number in zip(self._shared, self._before, strict=False):
            _set(library, number)
        self._before = []


@cache
def one_blas_thread() -> OneBlasThread:
    """Return the one of this process: two would put back each other's number of threads."""
    return OneBlasThread()


def _set(library: Any, number: int) -> None:
    library.set_num_threads(number)
    # Since version 3.8 a thread that sets the number is the only one that may, until it says so.
    if hasattr(library, "clear_controlling_thread"):
        library.clear_controlling_thread()
