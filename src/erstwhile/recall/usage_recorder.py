"""What prompts got, gathered in the process and written now and then: asking costs no commit.

What is gathered may be lost with the process, and nothing but a statistic is.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING

from erstwhile.core.errors import ErstwhileError
from erstwhile.core.scope import Viewer
from erstwhile.storage.access import Access

if TYPE_CHECKING:
    from erstwhile.facts.usage_signals import Use

BATCH = 64
"""After so many prompts what was gathered is written, by whoever asked last,"""
_LONGEST = 60.0
"""or after so many seconds, by the thread that embeds, if it runs."""


class _Gathered:
    """What this process has noted and not yet written."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.lock = Lock()
        self.since = time.monotonic()
        self.prompts = 0
        self.queries: dict[Use, int] = {}


class UsageRecorder:
    """Which facts prompts got, for all views of one memory."""

    def __init__(self, access: Access) -> None:
        self._clock = access.clock
        self._access = access.seen_by(Viewer(everything=True))
        self._gathered = _Gathered()

    def note(self, viewer: Viewer, facts: Iterable[str], query: str) -> None:
        """A prompt about a question got these facts. An administrator's prompts do not count."""
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
        if time.monotonic() - self._here.since > _LONGEST:
            self.write()

    def write(self) -> None:
        """Store what was gathered, in one transaction; what cannot be stored is forgotten.

        Two threads may write the same: a question counts once a day, however often it is stored.
        """
        here, self._gathered = self._here, _Gathered()
        with here.lock:
            queries = dict(here.queries)
        if queries:
            from erstwhile.facts import usage as fact_uses

            with suppress(ErstwhileError):
                self._access.change(lambda unit: fact_uses.note(unit, queries))

    @property
    def _here(self) -> _Gathered:
        """Of this process: what was noted before a fork is the parent's to write."""
        if self._gathered.process != os.getpid():
            self._gathered = _Gathered()
        return self._gathered
