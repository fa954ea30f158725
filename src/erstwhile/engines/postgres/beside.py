"""The statements of a transaction that run on the server of the space, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from erstwhile.engines.postgres.connection import Connection
from erstwhile.engines.postgres.deferred import DeferredChanges
from erstwhile.engines.postgres.gathered_reads import Fetch, GatheredReads
from erstwhile.engines.postgres.shards import Shards


class BesideTheRows:
    """Reads and changes that wait to be sent together.

    A read sends the changes that wait, and changes send the reads that wait before them. So a read
    sees the changes before it, and none after it.
    """

    def __init__(self, connection: Connection, shards: Shards) -> None:
        self._reads = GatheredReads(connection, shards)
        self.changes = DeferredChanges(connection, shards, self._reads.send)

    def begin(self) -> None:
        """Forget what an earlier transaction has left."""
        self._reads.begin()
        self.changes.begin()

    def read(self, text: str, values: Sequence[Any]) -> Fetch:
        """Take a statement that returns rows, and return a function that returns them."""
        added = self.changes.defer_passage(text, values)
        if added is not None:
            return lambda: added
        self.changes.flush()
        return self._reads.read(text, values)

    def flush(self) -> None:
        """Send what waits."""
        self._reads.send()
        self.changes.flush()
