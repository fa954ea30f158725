"""The record of which facts prompts got: gathered in the process, written now and then.

So a question costs no commit. A process that dies loses what it gathered: a statistic.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable
from threading import Lock
from typing import TYPE_CHECKING

from erstwhile.core.background import Stage
from erstwhile.core.scope import Viewer
from erstwhile.storage.access import Access

if TYPE_CHECKING:
    from erstwhile.facts.usage_signals import Use

BATCH = 64
"""After so many prompts the uses are written, by the thread that asked last,"""
_LONGEST = 60.0
"""or after so many seconds, by the thread that embeds, if it runs."""
_MOST_KEPT = 10_000
"""Uses that are kept for another try after a failure."""


class _Gathered:
    """The uses that this process has noted and not yet written."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.lock = Lock()
        self.since = time.monotonic()
        self.prompts = 0
        self.queries: dict[Use, int] = {}


class UsageRecorder:
    """Records which facts prompts got, for all views of one memory."""

    def __init__(self, access: Access, stage: Stage) -> None:
        self._clock = access.clock
        self._access = access.seen_by(Viewer(everything=True))
        self._stage = stage
        self._retry_at = math.inf
        self._gathered = _Gathered()

    def note(self, viewer: Viewer, facts: Iterable[str], query: str) -> None:
        """Note that a prompt about a question got these facts, unless an administrator asked."""
        # Loaded here and below: few of those who open a memory make prompts.
        from erstwhile.facts.usage_signals import Use, day_of, query_bit

        if viewer.everything:
            return
        here, day, bit = self._here, day_of(self._clock.now()), query_bit(query)
        with here.lock:
            for fact in facts:
                use = Use(viewer.scope, fact, day)
                here.queries[use] = here.queries.get(use, 0) | bit
            here.prompts += 1
        if here.prompts >= BATCH:
            self.write()

    def write_if_due(self) -> None:
        """Write if the oldest note has waited for long, or if a failed write may be tried again."""
        now = time.monotonic()
        if now - self._here.since > _LONGEST or now > self._retry_at:
            self.write()

    def write(self) -> None:
        """Store the uses in one transaction. If that fails, keep them for another try.

        Two threads may write the same use: a question counts once a day.
        """
        here, self._gathered = self._here, _Gathered()
        self._retry_at = math.inf
        with here.lock:
            queries = dict(here.queries)
        if not queries:
            return
        from erstwhile.facts import usage as fact_uses

        try:
            self._access.change(lambda unit: fact_uses.note(unit, queries))
            self._stage.succeeded()
        except Exception as error:
            self._retry_at = time.monotonic() + self._stage.failed(error)
            self._keep(queries)

    def _keep(self, queries: dict[Use, int]) -> None:
        here = self._here
        with here.lock:
            for use, bits in queries.items():
                if len(here.queries) < _MOST_KEPT:
                    here.queries[use] = here.queries.get(use, 0) | bits

    @property
    def _here(self) -> _Gathered:
        """The notes of this process: those from before a fork are the parent's to write."""
        if self._gathered.process != os.getpid():
            self._gathered = _Gathered()
        return self._gathered
