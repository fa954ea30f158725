"""Learning in the background: the agent goes on, and a thread learns from what it observed."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from erstwhile.core.background import BackgroundThread
from erstwhile.core.scope import Viewer
from erstwhile.services import Services
from erstwhile.storage.access import Access

if TYPE_CHECKING:
    from erstwhile.learning.progress import Waiting

CLOSING = 30.0
"""Seconds that closing a memory may take for learning; what is left waits for another time."""


class BackgroundLearner(BackgroundThread):
    """Begins with the first turn that this process observes, and learns from all that wait.

    What a process with a language model observed is left to one that has a model, too.
    """

    def __init__(self, services: Services, access: Access) -> None:
        super().__init__(self._drain, services.background.learning)
        self._services = services
        self._access = access.seen_by(Viewer(everything=True))
        self._deadline = math.inf

    def stop(self) -> None:
        """End the thread, then try each waiting turn once more, as long as there is time."""
        if not self.is_working or self._stopped.is_set():
            return
        self._deadline = time.monotonic() + CLOSING
        super().stop()
        try:
            for _ in self._drain(once=True):
                pass
        except Exception as error:
            from erstwhile.core.logs import log_failure

            # The turns wait in the store, and closing must go on.
            log_failure(__name__, "learning was not finished before closing", error=error)

    def _drain(self, *, once: bool = False) -> Iterator[int]:
        # Loaded here: few of those who open a memory learn.
        from erstwhile.learning.loop import drain

        for _ in drain(
            self._services,
            self._access,
            once=once,
            theirs=self._theirs,
            cancelled=self._out_of_time,
        ):
            yield 1

    def _theirs(self, waiting: Waiting) -> bool:
        return waiting.with_model and not self._services.has_llm

    def _out_of_time(self) -> bool:
        return time.monotonic() > self._deadline
