"""A language model that counts the calls in flight, and can wait for company or for a gate."""

from __future__ import annotations

import threading
from collections.abc import Callable

from erstwhile.core.ports import Completion, Prompt
from tests.learning.answering_llm import AnsweringLlm


class CountedLlm(AnsweringLlm):
    """Answers when `together` calls are in flight, or after a while if so many never come."""

    def __init__(self, together: int = 1) -> None:
        super().__init__()
        self.most = 0
        """The highest number of calls in flight."""
        self._in_flight = 0
        self._together = together
        self._changed = threading.Condition()

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        with self._changed:
            self._in_flight += 1
            self.most = max(self.most, self._in_flight)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self.most >= self._together or cancelled(), 60)
        try:
            return super().complete(prompt)
        finally:
            with self._changed:
                self._in_flight -= 1


class DeafLlm(AnsweringLlm):
    """A model that hears no cancellation: it answers when its gate opens."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = threading.Event()
        self.open = threading.Event()

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        del cancelled
        self.reached.set()
        self.open.wait(60)
        return super().complete(prompt)
