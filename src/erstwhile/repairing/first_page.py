"""Make the first page of a damaged file anew, with the other pages that hold its schema.

All files of one version have the same schema, so these pages are the same in every file, at the
same places. There are two layouts: that of a new file, and that of a file that was rewritten.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from erstwhile.copying.tables import TABLES
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.engines.sqlite.pages import open_alone
from erstwhile.engines.sqlite.raw_pages import RawPages
from erstwhile.repairing.orphan_rows import TableShape, shape_of

_PAGES_OF_SCHEMA = "SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'"
_ROOTS = "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table'"
_CHANGES, _VALID_FOR = slice(24, 28), slice(92, 96)
"""In the first page: the counter of changes, and its value when the length was written."""
RESERVED = 20
"""In the first page: how many bytes at the end of each page hold no data."""
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

    reserved: int
    """How many bytes at the end of each page hold no data."""

    def fitting_tables(self, pages: RawPages) -> int:
        """Return how many tables have a row of their own form."""
        return sum(_begins_with_own_row(pages, shape, root) for shape, root in self.roots)

    def full_length(self, length: int) -> int:
        """Return the length in bytes of a file that has room for all tables."""
        return max(self.length, length // self.size) * self.size

    def written(self, length: int) -> Iterator[tuple[int, bytes]]:
        """Yield what is to be written into a file of some length, each with its place."""
        for number, page in self.pages.items():
            new = _first(page, length // self.size) if number == 1 else page
            yield (number - 1) * self.size, new


def schema_layouts(folder: Path, key: str) -> Iterator[SchemaLayout]:
    """Yield the layout of a new file, and that of a file that was rewritten."""
    fresh = folder / "fresh.db"
    SqliteEngine(fresh, key=key).close()
    yield _layout(fresh, key)
    with closing(open_alone(fresh, key)) as connection:
        connection.execute("VACUUM")
    yield _layout(fresh, key)


def _layout(fresh: Path, key: str) -> SchemaLayout:
    with closing(open_alone(fresh, key)) as connection:
        numbers = [int(str(page)) for (page,) in connection.execute(_PAGES_OF_SCHEMA)]
        [(size,)] = connection.execute("PRAGMA page_size").fetchall()
        first = {str(name): int(str(root)) for name, root in connection.execute(_ROOTS)}
        roots = [(shape_of(connection, name), first[name]) for name in TABLES]
        content, size = connection.serialize("main"), int(str(size))
    pages = {number: content[(number - 1) * size : number * size] for number in numbers}
    return SchemaLayout(pages, roots, len(content) // size, size, content[RESERVED])


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
