"""After any changes, an import of an export exports the same bytes."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings
from hypothesis.stateful import rule

from erstwhile.bootstrap import assemble
from erstwhile.core.ports import Engine
from erstwhile.core.scope import Viewer
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.exports.export import Export
from erstwhile.exports.importing import import_lines
from erstwhile.exports.selection import Selection
from tests.property.acting import Acting


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
    """A memory that is exported from time to time."""

    @rule()
    def export(self) -> None:
        twin = SqliteEngine(":memory:")
        everything = assemble(twin, self.clock, Viewer()).everything()
        with TemporaryDirectory() as folder:
            here, there = Path(folder, "here"), Path(folder, "there")
            told = write(self.memory._access.engine, here)
            made = import_lines(
                here, everything._access, lambda *_: None, preview=False, vouch=True
            )
            assert made.refused == ()
            assert write(twin, there) == told
        found = everything.facts.list(state="any", limit=200)
        assert found == self.all.facts.list(state="any", limit=200)
        assert everything.audit.verify() == self.all.audit.verify()
        twin.close()


TestExporting = Exporting.TestCase
TestExporting.settings = settings(max_examples=10, stateful_step_count=15)  # each takes long
