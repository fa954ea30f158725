"""Learning in the background: a thread learns from observed turns while the agent goes on."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from erstwhile.core.background import BackgroundThread
from erstwhile.core.logs import log_failure
from erstwhile.core.scope import Viewer
from erstwhile.services import Services
from erstwhile.storage.access import Access

if TYPE_CHECKING:
    from erstwhile.learning.progress import Waiting

CLOSING = 30.0
"""The seconds for learning when a memory is closed. Turns that are left stay pending."""


class BackgroundLearner(BackgroundThread):
    """Learns from all pending turns; starts when this process observes its first turn.

    A process without a language model skips the turns of processes that have one.
    """

    def __init__(self, services: Services, access: Access) -> None:
        super().__init__(self._learn_pending, services.background.learning)
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
            for _ in self._learn_pending(once=True):
                pass
        except Exception as error:
            # The turns wait in the store, and closing must go on.
            log_failure(__name__, "learning was not finished before closing", error=error)

    def _learn_pending(self, *, once: bool = False) -> Iterator[int]:
        # Imported here, because few programs that open a memory learn.
        from erstwhile.learning.loop import learn_pending

        for _ in learn_pending(
            self._services,
            self._access,
            once=once,
            skipped=self._needs_model,
            cancelled=self._out_of_time,
        ):
            yield 1

    def _needs_model(self, waiting: Waiting) -> bool:
        return waiting.with_model and not self._services.has_llm

    def _out_of_time(self) -> bool:
        return time.monotonic() > self._deadline
