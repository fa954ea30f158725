"""Write an export: one snapshot of a memory, line by line, in constant memory.

The lines of a scope follow each other, so an import can take or refuse a scope as a whole. The
order of all lines is fixed: a memory that was imported exports the same bytes again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import IO

from erstwhile.core.ports import Engine, Session
from erstwhile.core.scope import SHARED
from erstwhile.exports.format import (
    END,
    HEADER,
    NAME,
    VERSION,
    LinesDigest,
    dimensions_of,
    formats,
    time_text,
)
from erstwhile.exports.selection import SelectedScope, Selection
from erstwhile.exports.tables import TABLES, TableReader, VectorReader, statements
from erstwhile.secrets.masking import masked_repr
from erstwhile.storage.columns import encode, to_scope

Progress = Callable[[int, int], None]
"""A function that gets the number of finished lines and the number of all lines."""
EMBEDDERS, VECTORS, LINKS = "embedders", "vectors", "links"
_TOLD_EVERY = 1_000


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """An export that was written: its path, and the number of lines of each table."""

    path: str
    bytes: int
    lines: Mapping[str, int] = field(hash=False)
    scopes: int


class Export:
    """The lines of one snapshot."""

    def __init__(
        self, engine: Engine, session: Session, selection: Selection, *, vectors: bool
    ) -> None:
        sql, space = statements(engine.dialect), engine.space
        self._selection = selection
        self.scopes = selection.scopes(session, engine.dialect, space)
        self._newest = [
            session.rows(
                sql["time_of_entry",], {"space": space, "scope": each.number, "seq": each.entries}
            )
            for each in self.scopes
        ]
        readers = {table.name: TableReader(table, sql, session, space) for table in TABLES}
        self._readers: dict[str, TableReader | VectorReader] = {**readers}
        self._model = None
        if vectors and (reader := VectorReader(sql, session, space)).model is not None:
            self._model = reader.model
            self._readers[VECTORS] = reader
        self._counts = {name: reader.counts() for name, reader in self._readers.items()}
        self.lines = self._counted()

    def write(self, file: IO[str], progress: Progress) -> None:
        """Write the header, and then the lines of each scope."""
        total = sum(self.lines.values())
        file.write(self._header() + "\n")
        for done, line in enumerate(self._written(), 1):
            file.write(line + "\n")
            if done % _TOLD_EVERY == 0:
                progress(min(done, total), total)
        progress(total, total)

    def _counted(self) -> Mapping[str, int]:
        lines: Counter[str] = Counter()
        for name, counts in self._counts.items():
            lines[name] += sum(counts.get(each.number, 0) for each in self.scopes)
        lines[EMBEDDERS] += self._model is not None
        lines[LINKS] += len(self._selection.links)
        return MappingProxyType({name: lines[name] for name in formats() if lines[name]})

    def _header(self) -> str:
        links = list(self._links())
        newest = max((rows[0][0] for rows in self._newest if rows), default=None)
        return encode(
            {
                "table": HEADER,
                "format": NAME,
                "version": VERSION,
                "selection": self._selection.told,
                "newest_change": time_text(newest),
                "lines": dict(self.lines),
                **({"links_digest": LinesDigest(*links).text()} if links else {}),
            }
        )

    def _written(self) -> Iterator[str]:
        before = () if self._model is None else (formats()[EMBEDDERS].line(self._model, SHARED),)
        yield from before
        for each in self.scopes:
            yield from self._of_scope(each, LinesDigest(*before))
        yield from self._links()

    def _links(self) -> Iterator[str]:
        for id, *dimensions, alias, person, changed_at in self._selection.links:
            row = (id, alias, person, changed_at)
            yield formats()[LINKS].line(row, to_scope(*dimensions))

    def _of_scope(self, each: SelectedScope, digest: LinesDigest) -> Iterator[str]:
        for line in self._rows(each):
            digest.add(line)
            yield line
        counts = {name: self._counts[name].get(each.number, 0) for name in self._readers}
        lines = {name: count for name, count in counts.items() if count}
        scope = dimensions_of(each.scope)
        yield encode({"table": END, "scope": scope, "lines": lines, "digest": digest.text()})

    def _rows(self, each: SelectedScope) -> Iterator[str]:
        for name, reader in self._readers.items():
            if each.number in self._counts[name]:
                line = formats()[name].line
                yield from (line(row, each.scope) for row in reader.rows(each.number))
