"""Open a copy of a damaged file. The file itself is only read.

If its schema cannot be read, the copy gets the schema that files of this version have. In the wrong
layout, tables would be read as others. So the layout is taken in which the most tables begin with a
row of their own form. An encrypted file is decrypted in memory: nothing of it comes to the disk.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import apsw

from erstwhile.engines.sqlite import folders
from erstwhile.engines.sqlite.connection import closed_on_failure
from erstwhile.engines.sqlite.encryption import decrypted, unlocked
from erstwhile.engines.sqlite.file_head import FileHead, read_head
from erstwhile.engines.sqlite.location import MEMORY
from erstwhile.engines.sqlite.raw_pages import RawPages, pages_of
from erstwhile.repairing.first_page import RESERVED, SchemaLayout, schema_layouts

_LONGEST = 1 << 40
"""The length in bytes up to which the header of a damaged file is believed."""
_HEAD, _PAGE = 32, 4096
"""The length in bytes of the beginning that tells what a file is, and of a page."""
_LOGS = ("-wal", "-journal")
_MODES, _NO_LOG = slice(18, 20), b"\x01\x01"
"""In the first page: how the file is written and read, and its value for a file without a log."""


@dataclass(frozen=True, slots=True)
class DamagedCopy:
    """A copy of a damaged file: SQLite's view of it, and its pages."""

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
    if length > _PAGE:
        os.truncate(copy, length // _PAGE * _PAGE)  # a part of a page would be read as zeros
    os.truncate(copy, _full_length(read_head(str(copy)), length))
    try:
        connection = _opened_file(copy, file)
    except apsw.Error:
        layouts = schema_layouts(copy.parent, "")
        best = max(layouts, key=lambda layout: layout.fitting_tables(pages_of(copy, layout.size)))
        _write_schema(copy, best)
        connection = _opened_file(copy, file)
    return DamagedCopy(connection, pages_of(copy, _page_size(connection)))


def _opened_encrypted(copy: Path, file: Path, key: str) -> DamagedCopy:
    os.truncate(copy, copy.stat().st_size // _PAGE * _PAGE)  # a part of a page has no meaning
    content = decrypted(copy, key, str(file))
    full = _full_length(FileHead(bytes(content[:_HEAD])), len(content))
    content.extend(bytes(full - len(content)))
    content[_MODES] = _NO_LOG
    try:
        connection = _opened_image(content)
    except apsw.Error:
        layouts = schema_layouts(copy.parent, key)
        best = max(layouts, key=lambda layout: layout.fitting_tables(_image_pages(content, layout)))
        content.extend(bytes(best.full_length(len(content)) - len(content)))
        for place, page in best.written(len(content)):
            content[place : place + len(page)] = page
        content[_MODES] = _NO_LOG
        connection = _opened_image(content)
    size = _page_size(connection)
    return DamagedCopy(connection, RawPages(content, size, size - content[RESERVED]))


def _full_length(head: FileHead, length: int) -> int:
    """Return the length that a file had before it was cut off: SQLite reads what is left then."""
    return head.length if head.is_plain and length < head.length < _LONGEST else length


def _write_schema(copy: Path, layout: SchemaLayout) -> None:
    length = layout.full_length(copy.stat().st_size)
    os.truncate(copy, length)
    with copy.open("r+b") as target:
        for place, page in layout.written(length):
            target.seek(place)
            target.write(page)


def _image_pages(content: bytearray, layout: SchemaLayout) -> RawPages:
    return RawPages(content, layout.size, layout.size - layout.reserved)


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
