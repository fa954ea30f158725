"""After any changes, a copy, an imported export and a restored snapshot equal their source."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from hypothesis.stateful import precondition, rule

import erstwhile
from erstwhile.bootstrap import assemble
from erstwhile.core.ports import Engine
from erstwhile.core.scope import Viewer
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.operations.copy import copy
from erstwhile.operations.export import Export, Selection
from erstwhile.operations.import_ import import_lines
from tests.property.acting import Acting, on_each_engine, picks
from tests.property.test_facts import STATES


class Copying(Acting):
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
        copy(
            self.memory._access.engine,
            self.twin,
            lambda _done, _total: None,
            trust_permissions=True,
        )
        here, there = self.all.facts, self.copied.facts
        assert there.list(state="any", limit=200) == here.list(state="any", limit=200)
        assert there.list(deleted=True, limit=200) == here.list(deleted=True, limit=200)
        assert self.copied.audit.verify() == self.all.audit.verify()


TestCopying = Copying.TestCase


def write(engine: Engine, file: Path) -> bytes:
    """Export a memory, and return the bytes of the file."""
    with file.open("w", encoding="utf-8", newline="\n") as opened:
        engine.read(
            lambda session: Export(engine, session, Selection({}), vectors=True).write(
                opened, lambda _done, _total: None
            )
        )
    return file.read_bytes()


class Exporting(Acting):
    @rule()
    def export(self) -> None:
        twin = SqliteEngine(":memory:")
        everything = assemble(twin, self.clock, Viewer()).everything()
        with TemporaryDirectory() as folder:
            here, there = Path(folder, "here"), Path(folder, "there")
            told = write(self.memory._access.engine, here)
            made = import_lines(
                here, everything._access, lambda *_: None, preview=False, trust_permissions=True
            )
            assert made.refused == ()
            assert write(twin, there) == told
        found = everything.facts.list(state="any", limit=200)
        assert found == self.all.facts.list(state="any", limit=200)
        assert everything.audit.verify() == self.all.audit.verify()
        twin.close()


TestExporting, TestExportingOnPostgres = on_each_engine(
    Exporting, max_examples=10, stateful_step_count=15
)


Listing: TypeAlias = set[tuple[datetime, str, erstwhile.Fact]]
HOURS = (-31, -1, 0, 1, 31)


class Restoring(Acting):
    """A machine that gives names to moments, and returns to them."""

    def __init__(self) -> None:
        super().__init__()
        self.start = self.clock.now()
        self.kept: dict[str, Listing] = {}

    @rule()
    def create(self) -> None:
        snapshot = self.memory.snapshots.create(f"s{len(self.kept)}")
        self.kept[snapshot.name] = self.listing()

    @precondition(lambda self: self.kept)
    @rule(pick=picks)
    def restore(self, pick: int) -> None:
        name = list(self.kept)[pick % len(self.kept)]
        before = self.listing()
        done = self.memory.snapshots.restore(name)
        self.write_down()
        assert self.listing() == self.kept[name]
        if pick % 2:
            self.memory.snapshots.restore(done.before.name)
            self.write_down()
            assert self.listing() == before

    def listing(self) -> Listing:
        """Return the facts of the scope that some moment shows, without what only grows."""
        moments = [self.start + timedelta(hours=count) for count in HOURS]
        return {
            (moment, state, _without_growth(fact))
            for moment in moments
            for state in STATES
            if state not in ("any", "retired")
            for fact in self.memory.facts.list(state=state, as_of=moment, limit=1_000)
        }


def _without_growth(fact: erstwhile.Fact) -> erstwhile.Fact:
    return replace(
        fact, known_from=fact.recorded_at, tags=(), entities=(), relations=(), deleted_at=None
    )


TestRestoring, TestRestoringOnPostgres = on_each_engine(Restoring, max_examples=20)
