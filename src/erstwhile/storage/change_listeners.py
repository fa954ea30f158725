"""Call functions of this process with each change, after the commit, on a thread of its own.

A listener never delays a write, and its errors are logged and change nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from queue import SimpleQueue
from threading import Thread
from typing import TypeAlias

from erstwhile.core.fork_safety import ForkSafeLock
from erstwhile.core.logs import log_failure
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.core.scope import Scope, Viewer


@public_record
class MemoryChange(PublicRecord):
    """A stored change of one record: its audit entry without the reason."""

    at: datetime
    action: str
    """Such as `remember`, `retire` or `block.edit`."""
    subject: str
    """The id of the changed record."""
    scope: Scope
    actor: str


Listener: TypeAlias = Callable[[MemoryChange], object]


class ChangeListeners:
    """The listeners of one memory, each with the viewer whose scope it may see."""

    def __init__(self) -> None:
        self._listeners: dict[object, tuple[Viewer, Listener]] = {}
        self._guard = ForkSafeLock()
        self._waiting: SimpleQueue[Sequence[MemoryChange]] = SimpleQueue()
        self._process: int | None = None
        """The process that the thread runs in: a child has none of the threads of its parent."""

    def __bool__(self) -> bool:
        return bool(self._listeners)

    def add(self, viewer: Viewer, listener: Listener) -> Callable[[], None]:
        """Call a function with each change that a viewer sees; return the function to end that."""
        key = object()
        self._listeners[key] = viewer, listener

        def unsubscribe() -> None:
            self._listeners.pop(key, None)

        return unsubscribe

    def notify(self, changes: Sequence[MemoryChange]) -> None:
        """Queue changes for the thread."""
        with self._guard:
            if self._process != os.getpid():
                self._process, self._waiting = os.getpid(), SimpleQueue()
                target = (self._waiting,)
                Thread(target=self._run, args=target, name="on_change", daemon=True).start()
        self._waiting.put(changes)

    def _run(self, waiting: SimpleQueue[Sequence[MemoryChange]]) -> None:
        while True:
            for change in waiting.get():
                for viewer, listener in [*self._listeners.values()]:
                    if viewer.everything or viewer.scope.sees(change.scope):
                        _call(listener, change)


def _call(listener: Listener, change: MemoryChange) -> None:
    try:
        listener(change)
    except Exception as error:
        log_failure(__name__, "a listener of on_change failed", error=error)
