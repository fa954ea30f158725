"""Learning in the background: threads learn from observed turns while the agent goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from threading import Event, Lock
from typing import TYPE_CHECKING, TypeAlias

from erstwhile.core.background import BackgroundFailure, BackgroundPool
from erstwhile.core.fork_safety import ForkSafeLock
from erstwhile.services import Services
from erstwhile.storage.access import Access

if TYPE_CHECKING:
    from erstwhile.learning.attempts import Attempt
    from erstwhile.learning.progress import Waiting

Report: TypeAlias = "Callable[[Attempt | BackgroundFailure], None]"
CLOSING = 5.0
"""The seconds for learning when a memory is closed. Turns that are left stay pending."""
_LOOK_EVERY = 1.0
"""Seconds between two looks for new turns, and for failures of the background work."""


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
        from erstwhile.learning import progress, worker

        with self._sharing_out:
            if not self._due:
                due, has_llm = self._access.ask(progress.waiting), self._services.has_llm
                self._due = [each for each in due[::-1] if has_llm or not each.with_model]
        while not self.is_out_of_time() and (waiting := self._next_due()):
            learner = worker.ConversationLearner(
                self._services, self._access, waiting, self.is_out_of_time
            )
            for attempt in learner.turns(once=self.is_ending, wait=False):
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


def watch(services: Services, access: Access, until: Event, report: Report) -> None:
    """Learn from all messages that wait, then from turns as they come, until `until` is set.

    At first, and when a new day begins, also read the turns that the daily limit kept from the
    model.
    """
    from erstwhile.learning import attempts, progress, worker

    reporter = _Reporter(report, until)
    learners = BackgroundLearners(services, access, reporter.tell)
    access.change(lambda unit: progress.want_all(unit, with_model=services.has_llm))
    access.engine.listen(learners.wake, services.background.listening)
    learners.wake()
    known: frozenset[object] = frozenset()
    day: date | None = None
    try:
        while not until.wait(_LOOK_EVERY):
            today = access.clock.now().date()
            if services.has_llm and today != day:
                day, missed = today, access.ask(partial(attempts.missed, conversation=None))
                for attempt in worker.learn_missed(services, access, missed, until.is_set):
                    reporter.tell(attempt)
            learners.wake()  # a learner that is free, while others wait for the model
            failing = {(each.stage, each.since): each for each in services.background.failures}
            for key, failure in failing.items():
                if key not in known:
                    reporter.tell(failure)
            known = frozenset(failing)
    finally:
        learners.stop()
    if reporter.error is not None:
        raise reporter.error


class _Reporter:
    """Calls the function of the caller from one thread at a time. If it raises, watching ends."""

    def __init__(self, report: Report, until: Event) -> None:
        self._report = report
        self._until = until
        self._lock = Lock()
        self.error: Exception | None = None

    def tell(self, news: Attempt | BackgroundFailure) -> None:
        """Report an attempt or a failure. An error here must not undo what was learned."""
        try:
            with self._lock:
                self._report(news)
        except Exception as error:
            self.error = error
            self._until.set()
