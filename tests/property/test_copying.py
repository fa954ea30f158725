"""After any changes, a copy is equal to its source."""

from __future__ import annotations

from hypothesis.stateful import rule

from erstwhile.bootstrap import assemble
from erstwhile.copying.copy import copy
from erstwhile.core.scope import Viewer
from erstwhile.engines.sqlite.engine import SqliteEngine
from tests.property.acting import Acting


class Copying(Acting):
    """A memory, and a copy of it that is updated from time to time."""

    def __init__(self) -> None:
        super().__init__()
        self.twin = SqliteEngine(":memory:")
        self.copied = assemble(self.twin, self.clock, Viewer()).everything()

    def teardown(self) -> None:
        self.twin.close()
        super().teardown()

    @rule()
    def copy(self) -> None:
        """Copy, which compares the rows, and compare the answers of both memories."""
        copy(self.memory._access.engine, self.twin, lambda _done, _total: None, vouch=True)
        here, there = self.all.facts, self.copied.facts
        assert there.list(state="any", limit=200) == here.list(state="any", limit=200)
        assert there.list(deleted=True, limit=200) == here.list(deleted=True, limit=200)
        assert self.copied.audit.verify() == self.all.audit.verify()


TestCopying = Copying.TestCase
