"""Make the first page of a damaged file anew, with the other pages that hold its schema.

All files of one version have the same schema, so these pages are the same in every file, at the
same places. There are two layouts: that of a new file, and that of a file that was rewritten.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.engines.sqlite.pages import open_alone

_PAGES_OF_SCHEMA = "SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'"
_CHANGES, _VALID_FOR = slice(24, 28), slice(92, 96)
"""In the first page: the counter of changes, and its value when the length was written."""
_LENGTH, _FREE = slice(28, 32), slice(32, 40)
"""In the first page: the number of pages, and the list of free pages."""


def renew_schema(file: Path, folder: Path) -> Iterator[None]:
    """Write the pages of the schema into a file, once for each layout that it may have."""
    fresh = folder / "fresh.db"
    SqliteEngine(fresh).close()
    for rewritten in (False, True):
        with closing(open_alone(fresh)) as connection:
            if rewritten:
                connection.execute("VACUUM")
            numbers = [int(str(page)) for (page,) in connection.execute(_PAGES_OF_SCHEMA)]
            [(size,)] = connection.execute("PRAGMA page_size").fetchall()
        _copy_pages(fresh, file, numbers, int(str(size)))
        yield


def _copy_pages(fresh: Path, file: Path, numbers: list[int], size: int) -> None:
    with fresh.open("rb") as source, file.open("r+b") as target:
        for number in numbers:
            source.seek((number - 1) * size)
            page = source.read(size)
            target.seek((number - 1) * size)
            target.write(_first(page, file.stat().st_size // size) if number == 1 else page)


def _first(page: bytes, length: int) -> bytes:
    """Return the first page for a file of another length, in which no page is free."""
    new = bytearray(page)
    new[_LENGTH] = length.to_bytes(4, "big")
    new[_VALID_FOR] = new[_CHANGES]
    new[_FREE] = bytes(8)
    return bytes(new)
