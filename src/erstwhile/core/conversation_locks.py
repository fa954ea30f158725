"""Threads of one process that want to learn from the same conversation wait for each other.

The lease keeps other processes away, which come back later. A thread is right here, and whoever
asked to wait must get what the other one is about to learn.
"""

from __future__ import annotations

from weakref import WeakValueDictionary

from erstwhile.core.fork_safe_lock import ForkSafeLock


class ConversationLocks:
    """A lock for each conversation, as long as somebody uses it."""

    def __init__(self) -> None:
        self._looking = ForkSafeLock()
        self._locks: WeakValueDictionary[str, ForkSafeLock] = WeakValueDictionary()

    def at(self, conversation: str) -> ForkSafeLock:
        with self._looking:
            return self._locks.setdefault(conversation, ForkSafeLock())
