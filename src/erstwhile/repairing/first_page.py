"""Make the first page of a damaged file anew, with the other pages that hold its schema.

All files of one version have the same schema, so these pages are the same in every file, at the
same places. There are two layouts: that of a new file, and that of a file that was rewritten.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from erstwhile.copying.tables import TABLES
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.engines.sqlite.pages import open_alone
from erstwhile.engines.sqlite.raw_pages import RawPages, pages_of
from erstwhile.repairing.orphan_rows import TableShape, shape_of

_PAGES_OF_SCHEMA = "SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'"
_ROOTS = "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table'"
_CHANGES, _VALID_FOR = slice(24, 28), slice(92, 96)
"""In the first page: the counter of changes, and its value when the length was written."""
_LENGTH, _FREE = slice(28, 32), slice(32, 40)
"""In the first page: the number of pages, and the list of free pages."""


@dataclass(frozen=True, slots=True)
class SchemaLayout:
    """The pages of the schema by their numbers, and the first page of each table."""

    pages: dict[int, bytes]
    roots: list[tuple[TableShape, int]]
    length: int
    """The length of an empty file in pages."""
    size: int

    def fitting_tables(self, file: Path) -> int:
        """Return how many tables have a row of their own form in a file."""
        pages = pages_of(file, self.size)
        return sum(_begins_with_own_row(pages, shape, root) for shape, root in self.roots)

    def write(self, file: Path) -> None:
        """Write the schema into a file. A file that was cut off gets room for all tables."""
        length = max(self.length, file.stat().st_size // self.size)
        os.truncate(file, length * self.size)
        with file.open("r+b") as target:
            for number, page in self.pages.items():
                target.seek((number - 1) * self.size)
                target.write(_first(page, length) if number == 1 else page)


def schema_layouts(folder: Path) -> Iterator[SchemaLayout]:
    """Yield the layout of a new file, and that of a file that was rewritten."""
    fresh = folder / "fresh.db"
    SqliteEngine(fresh).close()
    yield _layout(fresh)
    with closing(open_alone(fresh)) as connection:
        connection.execute("VACUUM")
    yield _layout(fresh)


def _layout(fresh: Path) -> SchemaLayout:
    with closing(open_alone(fresh)) as connection:
        numbers = [int(str(page)) for (page,) in connection.execute(_PAGES_OF_SCHEMA)]
        [(size,)] = connection.execute("PRAGMA page_size").fetchall()
        first = {str(name): int(str(root)) for name, root in connection.execute(_ROOTS)}
        roots = [(shape_of(connection, name), first[name]) for name in TABLES]
    content, size = fresh.read_bytes(), int(str(size))
    pages = {number: content[(number - 1) * size : number * size] for number in numbers}
    return SchemaLayout(pages, roots, len(content) // size, size)


def _begins_with_own_row(pages: RawPages, shape: TableShape, root: int) -> bool:
    rows = (row for page in pages.tree(root) for row in pages.rows(page))
    first = next(rows, None)
    return first is not None and shape.row(first) is not None


def _first(page: bytes, length: int) -> bytes:
    """Return the first page for a file of another length, in which no page is free."""
    new = bytearray(page)
    new[_LENGTH] = length.to_bytes(4, "big")
    new[_VALID_FOR] = new[_CHANGES]
    new[_FREE] = bytes(8)
    return bytes(new)
