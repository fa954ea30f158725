"""Services: everything that the collections of one memory share, besides the store.

Bootstrap creates one per memory. Packages below this one import it for type checking only.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Event
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from erstwhile.core.fork_safety import ForkSafeLock
from erstwhile.core.policies import DailyLimit, DenialPolicy, Policy, Retention

if TYPE_CHECKING:
    from erstwhile.core.background import BackgroundPool, BackgroundThread, HealthRegistry
    from erstwhile.core.ports import Llm, Tokenizers
    from erstwhile.facts.draft import Draft
    from erstwhile.recall.service import RecallService
    from erstwhile.recall.usage_recorder import UsageRecorder
    from erstwhile.storage.access import Access
    from erstwhile.usage.prices import Prices

_PATIENCE = 1.0
"""Seconds to wait on close for learner threads to stop."""


def no_llm() -> None:
    """Return None: the factory for a memory without a language model."""


class ConversationsInWork:
    """The conversations that threads of this process learn from: the lock and the lease of each.

    A lease keeps other processes away; they try again later. A thread of this process waits for
    the lock, because its caller expects the results of the other thread.
    """

    def __init__(self) -> None:
        self._guard = ForkSafeLock()
        self._locks: WeakValueDictionary[str, ForkSafeLock] = WeakValueDictionary()
        self._leases: dict[tuple[int, str], Callable[[], None]] = {}
        self._closing = Event()

    def lock(self, conversation: str) -> ForkSafeLock:
        """Return the lock of a conversation. It exists as long as a thread uses it."""
        with self._guard:
            return self._locks.setdefault(conversation, ForkSafeLock())

    @contextmanager
    def leased(self, conversation: str, give_back: Callable[[], None]) -> Iterator[None]:
        """Give a lease back at the end of the block, or when the memory is closed before that."""
        key = (os.getpid(), conversation)  # a child does not give back what its parent holds
        self._leases[key] = give_back
        try:
            yield
        finally:
            self._give_back(key)

    def is_closing(self) -> bool:
        """Return whether the memory is being closed, so that learning shall end."""
        return self._closing.is_set()

    def close(self) -> None:
        """Let all threads end their learning; after a second give back what they still lease.

        Otherwise no other process could continue before the leases run out.
        """
        self._closing.set()
        deadline = time.monotonic() + _PATIENCE
        while self._own_leases() and time.monotonic() < deadline:
            time.sleep(0.01)
        for key in self._own_leases():
            self._give_back(key)

    def _own_leases(self) -> list[tuple[int, str]]:
        return [key for key in list(self._leases) if key[0] == os.getpid()]

    def _give_back(self, key: tuple[int, str]) -> None:
        if give_back := self._leases.pop(key, None):
            give_back()


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Everything that the collections of one memory share, besides the store."""

    recall: RecallService
    usage_recorder: UsageRecorder
    background: HealthRegistry
    """The state of the background jobs of this process."""
    tokenizers: Tokenizers
    idle: timedelta
    """The time without a message after which a conversation is idle."""
    prices: Callable[[], Prices]
    admission: Callable[[Access], Callable[[Draft], Draft]]
    """Creates the guard for the drafts of one call; `agent_policy.draft_guard` in a memory."""
    llm: Callable[[], Llm | None] = no_llm
    """Creates the language model on first use; returns None if there is none."""
    daily_limit: DailyLimit = field(default_factory=DailyLimit)
    policy: Policy = field(default_factory=Policy)
    denials: DenialPolicy = field(default_factory=DenialPolicy)
    retention: Retention = field(default_factory=dict)
    conversations_in_work: ConversationsInWork = field(default_factory=ConversationsInWork)
    embedding_thread: BackgroundThread | None = None
    learners: int = 1
    """How many conversations this process learns from at the same time."""
    learning_pool: BackgroundPool | None = None
    """The threads that learn in the background; None if other processes do it."""

    @property
    def has_llm(self) -> bool:
        """Return whether a language model is configured, without creating it."""
        return self.llm is not no_llm
