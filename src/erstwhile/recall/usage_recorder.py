"""Record which facts prompts used. The uses are collected in the process and written in batches.

So a prompt costs no commit. A process that dies loses its unwritten uses, which are a statistic.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING

from erstwhile.core.background import JobHealth
from erstwhile.core.scope import Viewer
from erstwhile.storage.access import Access

if TYPE_CHECKING:
    from erstwhile.facts.feedback import Use

BATCH = 64
"""Prompts after which the thread of the last prompt writes the uses."""
_MAX_SECONDS = 60.0
"""Seconds after which the embedding thread writes the uses, if it runs."""
_MAX_KEPT = 10_000
"""The most uses that are kept for a retry after a failure."""


class _UnwrittenUses:
    def __init__(self) -> None:
        self.process = os.getpid()
        self.lock = Lock()
        self.since = time.monotonic()
        self.prompts = 0
        self.queries: dict[Use, int] = {}


class UsageRecorder:
    """Records which facts prompts used, for all views of one memory."""

    def __init__(self, access: Access, stage: JobHealth) -> None:
        self._clock = access.clock
        self._access = access.seen_by(Viewer(everything=True))
        self._stage = stage
        self._retry_at = math.inf
        self._unwritten = _UnwrittenUses()

    def note(self, viewer: Viewer, facts: Iterable[str], query: str) -> None:
        """Record that a prompt used these facts, unless an administrator asked or all is read."""
        # Imported here and below: few programs that open a memory build prompts.
        from erstwhile.facts.feedback import Use, day_of, query_bit

        if viewer.everything or self._access.engine.read_only:
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
        """Write if the oldest use has waited for long, or if a retry is due."""
        now = time.monotonic()
        if now - self._here.since > _MAX_SECONDS or now > self._retry_at:
            self.write()

    def write(self) -> None:
        """Store the uses in one transaction. If that fails, keep them for a retry.

        Two threads may write the same use: a query counts once a day.
        """
        here, self._unwritten = self._here, _UnwrittenUses()
        self._retry_at = math.inf
        with here.lock:
            queries = dict(here.queries)
        if not queries:
            return
        from erstwhile.facts import feedback as fact_uses

        try:
            self._access.change(lambda unit: fact_uses.note(unit, queries))
            self._stage.succeeded()
        except Exception as error:
            self._retry_at = time.monotonic() + self._stage.failed(error)
            here = self._here
            with here.lock:
                for use, bits in islice(queries.items(), max(_MAX_KEPT - len(here.queries), 0)):
                    here.queries[use] = here.queries.get(use, 0) | bits

    @property
    def _here(self) -> _UnwrittenUses:
        """The uses of this process. Those from before a fork belong to the parent."""
        if self._unwritten.process != os.getpid():
            self._unwritten = _UnwrittenUses()
        return self._unwritten
