"""Services: everything that the collections of one memory share, besides the store.

Bootstrap creates one per memory. Packages below this one import it for type checking only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from erstwhile.core.background import BackgroundThread, Stages
from erstwhile.core.daily_limit import DailyLimit
from erstwhile.core.fork_safety import ForkSafeLock
from erstwhile.core.policy import Policy
from erstwhile.core.ports import Llm, Tokenizers
from erstwhile.recall.service import RecallService
from erstwhile.recall.usage_recorder import UsageRecorder

if TYPE_CHECKING:
    from erstwhile.usage.prices import Prices


def no_llm() -> None:
    """Return None: the factory for a memory without a language model."""


class ConversationLocks:
    """A lock per conversation, for the threads of this process that learn from it.

    A lease keeps other processes away; they try again later. A thread of this process waits for
    the lock, because its caller expects the results of the other thread.
    """

    def __init__(self) -> None:
        self._guard = ForkSafeLock()
        self._locks: WeakValueDictionary[str, ForkSafeLock] = WeakValueDictionary()

    def at(self, conversation: str) -> ForkSafeLock:
        """Return the lock of a conversation. It exists as long as a thread uses it."""
        with self._guard:
            return self._locks.setdefault(conversation, ForkSafeLock())


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Everything that the collections of one memory share, besides the store."""

    recall: RecallService
    usage_recorder: UsageRecorder
    background: Stages
    """The state of the background jobs of this process."""
    tokenizers: Tokenizers
    idle: timedelta
    """The time without a message after which a conversation is idle."""
    prices: Callable[[], Prices]
    llm: Callable[[], Llm | None] = no_llm
    """Creates the language model on first use; returns None if there is none."""
    daily_limit: DailyLimit = field(default_factory=DailyLimit)
    policy: Policy = field(default_factory=Policy)
    conversation_locks: ConversationLocks = field(default_factory=ConversationLocks)
    embedding_thread: BackgroundThread | None = None
    learning_thread: BackgroundThread | None = None

    @property
    def has_llm(self) -> bool:
        """Return whether a language model is configured, without creating it."""
        return self.llm is not no_llm
