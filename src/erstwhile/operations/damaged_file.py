"""Open a copy of a damaged file. The file itself is only read.

If its schema cannot be read, the copy gets the schema that files of this version have. In the wrong
layout, tables would be read as others. So the layout is taken in which the most tables begin with a
row of their own form. An encrypted file is decrypted in memory: nothing of it comes to the disk.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from erstwhile.core import folders
from erstwhile.engines.sqlite.connection import PAGE, closed_on_failure
from erstwhile.engines.sqlite.encryption import decrypted, unlocked
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.engines.sqlite.location import MEMORY, FileHead, read_head
from erstwhile.engines.sqlite.pages import open_alone
from erstwhile.engines.sqlite.raw_pages import RawPages, RawRow, pages_of
from erstwhile.engines.sqlite.recovery import TableShape, shape_of
from erstwhile.operations.tables import TABLES

_LIKE_INDEXES = {"entities", "onboarding"}
"""The tables whose rows look like entries of indexes."""
_ROOTS = "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0"


class OrphanRows:
    """Rows of damaged tables, on reachable and on orphaned pages."""

    def __init__(
        self, connection: apsw.Connection, pages: RawPages, shapes: Iterable[TableShape]
    ) -> None:
        self._pages = pages
        self._shapes = {shape.name: shape for shape in shapes}
        self._owners = {
            page: str(name)
            for name, root in (("sqlite_schema", 1), *connection.execute(_ROOTS))
            for page in pages.tree(int(str(root)))
        }
        self._places: dict[str, list[int]] = defaultdict(list)
        for number in range(2, pages.count + 1):
            for name in self._tables(number):
                self._places[name].append(number)

    def of(self, name: str) -> Iterator[tuple[dict[str, Any], int | None]]:
        """Yield the rows of a table by column, each with its number if the table has numbers."""
        for number in self._places[name]:
            for found in self._pages.rows(number):
                fitting = self._fitting(number, found)
                if len(fitting) == 1 and fitting[0][0].name == name:
                    yield fitting[0][1], found.number

    def _tables(self, number: int) -> set[str]:
        """Return the damaged tables to which rows of a page may belong."""
        owner = self._owners.get(number)
        if owner is not None:
            return {owner} & self._shapes.keys()
        rows = self._pages.rows(number)
        return {shape.name for row in rows for shape, _ in self._fitting(number, row)}

    def _fitting(self, number: int, found: RawRow) -> list[tuple[TableShape, dict[str, Any]]]:
        """Return the best matching tables. A reachable page belongs to its table."""
        owner = self._owners.get(number)
        names = self._shapes.keys() - _LIKE_INDEXES if owner is None else [owner]
        shapes = [self._shapes[name] for name in names]
        fitting = [(shape, row) for shape in shapes if (row := shape.row(found)) is not None]
        best = max((shape.distinct for shape, _ in fitting), default=0)
        return [each for each in fitting if each[0].distinct == best]


_PAGES_OF_SCHEMA = "SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'"
_TABLE_ROOTS = "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table'"
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
    """The number of bytes at the end of each page without data."""

    def fitting_tables(self, pages: RawPages) -> int:
        """Count the tables whose first row has the expected types."""
        count = 0
        for shape, root in self.roots:
            rows = (row for page in pages.tree(root) for row in pages.rows(page))
            first = next(rows, None)
            count += first is not None and shape.row(first) is not None
        return count

    def pages_of(self, content: bytearray) -> RawPages:
        return RawPages(content, self.size, self.size - self.reserved)

    def full_length(self, length: int) -> int:
        """Return the length in bytes of a file that has room for all tables."""
        return max(self.length, length // self.size) * self.size

    def written(self, length: int) -> Iterator[tuple[int, bytes]]:
        """Yield the pages to write into a file of some length, each with its offset."""
        for number, page in self.pages.items():
            new = bytearray(page)
            if number == 1:
                new[_LENGTH] = (length // self.size).to_bytes(4, "big")
                new[_VALID_FOR] = new[_CHANGES]
                new[_FREE] = bytes(8)
            yield (number - 1) * self.size, bytes(new)


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
        first = {str(name): int(str(root)) for name, root in connection.execute(_TABLE_ROOTS)}
        roots = [(shape_of(connection, name), first[name]) for name in TABLES]
        content, size = connection.serialize("main"), int(str(size))
    pages = {number: content[(number - 1) * size : number * size] for number in numbers}
    return SchemaLayout(pages, roots, len(content) // size, size, content[RESERVED])


_MAX_LENGTH = 1 << 40
"""The length in bytes up to which the header of a damaged file is believed."""
_HEAD = 32
"""The length in bytes of the beginning that shows the type of a file."""
_LOGS = ("-wal", "-journal")
_MODES, _NO_LOG = slice(18, 20), b"\x01\x01"
"""In the first page: how the file is written and read, and its value for a file without a log."""


@dataclass(frozen=True, slots=True)
class DamagedCopy:
    """An opened copy of a damaged file, and its raw pages."""

    connection: apsw.Connection
    pages: RawPages

    def close(self) -> None:
        self.connection.close()


def opened_copy(file: Path, folder: Path, key: str) -> DamagedCopy:
    """Copy a file and its logs into a folder, and open the copy. Errors name the file."""
    folders.make_private(folder)
    copy = folder / file.name
    for suffix in ("", *_LOGS):
        if Path(f"{file}{suffix}").exists():
            shutil.copyfile(f"{file}{suffix}", f"{copy}{suffix}")
    return _opened_encrypted(copy, file, key) if key else _opened_plain(copy, file)


def _opened_plain(copy: Path, file: Path) -> DamagedCopy:
    length = copy.stat().st_size
    if length > PAGE:
        os.truncate(copy, length // PAGE * PAGE)  # a part of a page would be read as zeros
    os.truncate(copy, _full_length(read_head(str(copy)), length))
    try:
        connection = _opened_file(copy, file)
    except apsw.Error:
        layouts = schema_layouts(copy.parent, "")
        best = max(layouts, key=lambda layout: layout.fitting_tables(pages_of(copy, layout.size)))
        length = best.full_length(copy.stat().st_size)
        os.truncate(copy, length)
        with copy.open("r+b") as target:
            for place, page in best.written(length):
                target.seek(place)
                target.write(page)
        connection = _opened_file(copy, file)
    return DamagedCopy(connection, pages_of(copy, _page_size(connection)))


def _opened_encrypted(copy: Path, file: Path, key: str) -> DamagedCopy:
    os.truncate(copy, copy.stat().st_size // PAGE * PAGE)  # a part of a page has no meaning
    content = decrypted(copy, key, str(file))
    full = _full_length(FileHead(bytes(content[:_HEAD])), len(content))
    content.extend(bytes(full - len(content)))
    content[_MODES] = _NO_LOG
    try:
        connection = _opened_image(content)
    except apsw.Error:
        best = max(
            schema_layouts(copy.parent, key),
            key=lambda layout: layout.fitting_tables(layout.pages_of(content)),
        )
        content.extend(bytes(best.full_length(len(content)) - len(content)))
        for place, page in best.written(len(content)):
            content[place : place + len(page)] = page
        content[_MODES] = _NO_LOG
        connection = _opened_image(content)
    size = _page_size(connection)
    return DamagedCopy(connection, RawPages(content, size, size - content[RESERVED]))


def _full_length(head: FileHead, length: int) -> int:
    """Return the length before truncation: SQLite then reads the remaining pages."""
    return head.length if head.is_plain and length < head.length < _MAX_LENGTH else length


def _opened_file(copy: Path, file: Path) -> apsw.Connection:
    """Open a copy whose schema can be read, and move its log into it."""
    connection = apsw.Connection(str(copy))
    with closed_on_failure(connection):
        with unlocked(connection, str(file), ""):
            _check_schema(connection)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return connection


def _opened_image(content: bytearray) -> apsw.Connection:
    connection = apsw.Connection(MEMORY)
    with closed_on_failure(connection):
        connection.deserialize("main", bytes(content))
        _check_schema(connection)
    return connection


def _check_schema(connection: apsw.Connection) -> None:
    connection.execute("PRAGMA cell_size_check=ON; SELECT COUNT(*) FROM sqlite_schema").fetchall()
    connection.execute("SELECT COUNT(*) FROM scopes LIMIT 0").fetchall()


def _page_size(connection: apsw.Connection) -> int:
    return int(str(connection.execute("PRAGMA page_size").fetchall()[0][0]))
