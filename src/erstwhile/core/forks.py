"""What happens to open stores when the process forks.

SQLite keeps its file locks per process: a child that inherits open connections believes in locks
that it does not hold. So before a fork every store finishes what is under way and closes its
connections; parent and child open new ones when they next need them. A store that cannot do so
(it lives in memory, or is busy for too long) is refused in the child, and goes on in the parent.

Nor does a child get a module that a thread of its parent was loading: whoever imports it there
waits for ever. So a fork also waits for threads of ours that load something.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, RLock, get_ident
from types import TracebackType
from weakref import WeakSet

from erstwhile.core.errors import ForkedError

_PATIENCE = 5.0


class ForkGuard:
    """Wraps every operation on a store; between two of them its connections may be closed.

    What is under way is told by its thread. An interrupt can cut a thread off between entering and
    leaving; its next operation, or its own closing of the store, then sets that right.
    """

    def __init__(self, *, private: bool, close: Callable[[], None]) -> None:
        self._private = private
        self._close = close
        self._lock = RLock()
        self._idle = Condition(self._lock)
        self._under_way: set[int] = set()
        self._pausing = False
        self._lost_in_child = False
        self._lost = False
        _guards.add(self)

    def __enter__(self) -> None:
        with self._lock:
            while self._pausing:
                self._idle.wait()
            if self._lost:
                raise ForkedError(
                    "this memory was opened before a fork and cannot follow it",
                    remedy="open it again in the child process",
                )
            self._under_way.add(get_ident())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        with self._lock:
            self._under_way.discard(get_ident())
            if self._pausing:
                self._idle.notify_all()

    def close(self) -> None:
        """Wait for what is under way, then close for good."""
        with self._idle:
            try:
                self._pause()
                if not self._lost:
                    self._close()
            finally:
                self._go_on()

    def before_fork(self) -> None:
        self._idle.acquire()
        self._pause(timeout=_PATIENCE)
        self._lost_in_child = self._lost or self._private or bool(self._under_way)
        if not self._lost_in_child:
            self._close()

    def after_fork_in_parent(self) -> None:
        self._go_on()
        self._idle.release()

    def after_fork_in_child(self) -> None:
        self._lost = self._lost_in_child
        self._under_way.clear()
        self._go_on()
        self._idle.release()

    def _pause(self, timeout: float | None = None) -> None:
        """Wait for the other threads, and hold up what comes: many writers leave no gap."""
        self._pausing = True
        self._idle.wait_for(lambda: self._under_way <= {get_ident()}, timeout)

    def _go_on(self) -> None:
        self._pausing = False
        self._idle.notify_all()


_guards: WeakSet[ForkGuard] = WeakSet()
_paused: list[ForkGuard] = []
_loading: set[int] = set()
_loaded = Condition()


@contextmanager
def forks_wait() -> Iterator[None]:
    """While this thread is inside, a fork waits, for some seconds at most."""
    with _loaded:
        _loading.add(get_ident())
    try:
        yield
    finally:
        with _loaded:
            _loading.discard(get_ident())
            _loaded.notify_all()


def _before() -> None:
    _loaded.acquire()
    _loaded.wait_for(lambda: _loading <= {get_ident()}, _PATIENCE)
    _paused.extend(_guards)
    for guard in _paused:
        guard.before_fork()


def _after(step: Callable[[ForkGuard], None]) -> None:
    while _paused:
        step(_paused.pop())
    _loaded.release()


def _after_in_parent() -> None:
    _after(ForkGuard.after_fork_in_parent)


def _after_in_child() -> None:
    _loading.clear()
    _after(ForkGuard.after_fork_in_child)


if hasattr(os, "register_at_fork"):  # where processes can fork
    os.register_at_fork(
        before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child
    )
