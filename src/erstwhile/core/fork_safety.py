"""Safety of stores, locks and imports when the process forks.

SQLite keeps its file locks per process: a child that inherits open connections relies on locks that
it does not hold. So before a fork every store finishes its operations and closes its connections;
parent and child open new ones on next use. A store that cannot do so (it is in memory, or is busy
for too long) is refused in the child, and continues in the parent.

A module that a thread is importing during a fork is never finished in the child, and an import of
it there never returns. So a fork also waits for imports of other threads. Python has no public
function that says whether there are any.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from importlib import _bootstrap
from threading import Condition, Lock, RLock, get_ident
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

from erstwhile.core.errors import ForkedError

Value = TypeVar("Value")
_PATIENCE = 5.0
"""Seconds that a fork waits for operations and imports."""


class ForkSafeLock:
    """A lock that is free in a child process, even if a thread of the parent held it.

    That thread does not exist in the child, so the lock would never be released there.
    """

    def __init__(self) -> None:
        self._lock, self._process = Lock(), os.getpid()

    def acquire(self, *, blocking: bool = True) -> bool:
        """Take the lock; return False if it is not free and the caller does not wait."""
        if self._process != os.getpid():
            self._lock, self._process = Lock(), os.getpid()
        return self._lock.acquire(blocking)

    def release(self) -> None:
        """Release the lock."""
        self._lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_failure: object) -> None:
        self.release()


class cached_property(functools.cached_property[Value]):  # noqa: N801 (as the original is called)
    """A cached property without a lock. Two threads may both compute its value.

    Before Python 3.12, `functools.cached_property` has one lock for all objects of a class. A child
    that is forked while a thread holds this lock would wait for it without end.
    """

    if not TYPE_CHECKING:

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value


class ForkGuard:
    """Wraps every operation on a store. Between two operations its connections may be closed.

    An operation is identified by its thread. If an interrupt prevents a thread from leaving, its
    next operation, or its call of `close`, corrects that.
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
                    "this memory was opened before a fork and cannot be used after it",
                    remedy="open it again in the child process",
                )
            self._under_way.add(get_ident())

    def __exit__(self, *_failure: object) -> None:
        with self._lock:
            self._under_way.discard(get_ident())
            if self._pausing:
                self._idle.notify_all()

    def close(self) -> None:
        """Wait for the running operations, then close permanently."""
        with self._idle:
            try:
                self._pause()
                if not self._lost:
                    self._close()
            finally:
                self._go_on()

    def before_fork(self) -> None:
        """Wait for the running operations, and close the connections."""
        self._idle.acquire()
        self._pause(timeout=_PATIENCE)
        self._lost_in_child = self._lost or self._private or bool(self._under_way)
        if not self._lost_in_child:
            self._close()

    def after_fork(self, *, in_child: bool) -> None:
        """Allow operations again, or refuse them in a child that cannot use the store."""
        if in_child:
            self._lost = self._lost_in_child
            self._under_way.clear()
        self._go_on()
        self._idle.release()

    def _pause(self, timeout: float | None = None) -> None:
        """Wait for other threads, and block new operations, because many writers leave no pause."""
        self._pausing = True
        self._idle.wait_for(lambda: self._under_way <= {get_ident()}, timeout)

    def _go_on(self) -> None:
        self._pausing = False
        self._idle.notify_all()


_guards: WeakSet[ForkGuard] = WeakSet()
_paused: list[ForkGuard] = []
_forking = RLock()
"""Held by the thread that forks: of two, one comes after the other."""


def _before() -> None:
    _forking.acquire()
    _paused.extend(_guards)
    for guard in _paused:
        guard.before_fork()
    deadline = monotonic() + _PATIENCE
    while _is_imported_elsewhere() and monotonic() < deadline:
        sleep(0.001)


def _is_imported_elsewhere() -> bool:
    """Return whether another thread is importing a module. Each import has a lock while it runs."""
    running = _bootstrap._module_locks.values()  # type: ignore[attr-defined]  # noqa: SLF001
    locks = [reference() for reference in [*running]]
    return any(lock is not None and lock.owner not in (None, get_ident()) for lock in locks)


def _after(*, in_child: bool) -> None:
    while _paused:
        _paused.pop().after_fork(in_child=in_child)
    _forking.release()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(
        before=_before,
        after_in_parent=lambda: _after(in_child=False),
        after_in_child=lambda: _after(in_child=True),
    )
