"""Watching: a worker that learns from turns as they come, until it is told to end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event, Lock
from typing import TypeAlias

from erstwhile.core.background import BackgroundFailure, Stages
from erstwhile.learning import progress_table
from erstwhile.learning.attempt import Attempt
from erstwhile.learning.background import BackgroundLearners
from erstwhile.services import Services
from erstwhile.storage.access import Access

Report: TypeAlias = Callable[[Attempt | BackgroundFailure], None]
_LOOK_EVERY = 1.0
"""Seconds between two looks for new turns, and for failures of the background work."""


def watch(services: Services, access: Access, until: Event, report: Report) -> None:
    """Learn from all messages that wait, then from turns as they come, until `until` is set."""
    reporter = _Reporter(report, until)
    learners = BackgroundLearners(services, access, reporter.tell)
    access.change(lambda unit: progress_table.want_all(unit, with_model=services.has_llm))
    access.engine.listen(learners.wake, services.background.listening)
    learners.wake()
    try:
        while not until.wait(_LOOK_EVERY):
            learners.wake()  # a learner that is free, while others wait for the model
            for failure in reporter.new_failures(services.background):
                reporter.tell(failure)
    finally:
        learners.stop()
    reporter.check()


class _Reporter:
    """Calls the function of the caller from one thread at a time. If it raises, watching ends."""

    def __init__(self, report: Report, until: Event) -> None:
        self._report = report
        self._until = until
        self._lock = Lock()
        self._error: Exception | None = None
        self._told: frozenset[object] = frozenset()

    def tell(self, news: Attempt | BackgroundFailure) -> None:
        """Report an attempt or a failure. An error here must not undo what was learned."""
        try:
            with self._lock:
                self._report(news)
        except Exception as error:
            self._error = error
            self._until.set()

    def new_failures(self, stages: Stages) -> Iterator[BackgroundFailure]:
        """Yield the failures of background work that began since the last call."""
        failing = {(each.stage, each.since): each for each in stages.failures}
        yield from (each for key, each in failing.items() if key not in self._told)
        self._told = frozenset(failing)

    def check(self) -> None:
        """Raise the error of the caller's function, if there was one."""
        if self._error is not None:
            raise self._error
