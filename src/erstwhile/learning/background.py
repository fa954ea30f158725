"""Learning in the background: threads learn from observed turns while the agent goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from erstwhile.core.background_pool import BackgroundPool
from erstwhile.core.fork_safety import ForkSafeLock
from erstwhile.services import Services
from erstwhile.storage.access import Access

if TYPE_CHECKING:
    from erstwhile.learning.attempt import Attempt
    from erstwhile.learning.progress import Waiting

CLOSING = 5.0
"""The seconds for learning when a memory is closed. Turns that are left stay pending."""


class BackgroundLearners(BackgroundPool):
    """Learn from the pending turns that a viewer sees: several conversations at the same time.

    The turns of a conversation are learned in order. A process without a language model skips
    the turns of processes that have one.
    """

    def __init__(
        self,
        services: Services,
        access: Access,
        report: Callable[[Attempt], None] = lambda _attempt: None,
    ) -> None:
        threads = max(services.learners, 1)
        stages = [services.background.added("learning") for _ in range(threads)]
        super().__init__(self._learn_pending, stages)
        self._services = services
        self._access = access
        self._report = report
        self._sharing_out = ForkSafeLock()
        self._due: list[Waiting] = []

    def stop(self) -> None:
        """Try each waiting turn once more, as long as there is time, and end the threads."""
        if self.is_working and not self.is_ending:
            self._finish(CLOSING)

    def _learn_pending(self) -> Iterator[int]:
        """Learn from the due conversations that no other thread has taken."""
        # Imported here, because few programs that open a memory learn.
        from erstwhile.learning.loop import ConversationLearner, due_conversations

        with self._sharing_out:
            if not self._due:
                listed = due_conversations(self._access, with_model=self._services.has_llm)
                self._due = listed[::-1]
        while not self.is_out_of_time() and (waiting := self._next_due()):
            learner = ConversationLearner(
                self._services, self._access, waiting, self.is_out_of_time
            )
            for attempt in learner.turns_if_free(once=self.is_ending):
                self._report(attempt)
                yield 1

    def _next_due(self) -> Waiting | None:
        """Take the oldest conversation of the list, and call another thread for the rest."""
        with self._sharing_out:
            waiting = self._due.pop() if self._due else None
            has_more = bool(self._due)
        if has_more:
            self.wake()
        return waiting
