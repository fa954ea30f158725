"""A table walked in the order of its key, and compared with its twin on the other side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from erstwhile.copying.tables import Table
from erstwhile.core.ports import Row, Session

_SIZE = 1_000


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of the source, and the range of keys in which there are no others."""

    rows: list[Row]
    after: Row | None
    last: Row | None

    def changed(self, table: Table, session: Session) -> list[Row]:
        """Those that the twin has otherwise."""
        there = self._there(table, session)
        return [row for row in self.rows if there.get(table.key(row), row) != row]

    def missing(self, table: Table, session: Session) -> list[Row]:
        """Those that the twin has otherwise, or not at all."""
        there = self._there(table, session)
        return [row for row in self.rows if there.get(table.key(row)) != row]

    def surplus(self, table: Table, session: Session) -> list[Row]:
        """The keys that only the twin has."""
        here = {table.key(row) for row in self.rows}
        return [key for key in self._there(table, session) if key not in here]

    def _there(self, table: Table, session: Session) -> dict[Row, Row]:
        rows = table.rows(session, self.after, self.last)
        return {table.key(row): row for row in rows}


def pages(table: Table, session: Session) -> Iterator[Page]:
    after: Row | None = None
    while True:
        rows = table.rows(session, after, limit=_SIZE)
        last = table.key(rows[-1]) if len(rows) == _SIZE else None
        yield Page(rows, after, last)
        if last is None:
            return
        after = last
