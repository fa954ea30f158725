"""Open a copy of a damaged file. The file itself is only read.

If its schema cannot be read, the copy gets the schema that files of this version have. In the wrong
layout, tables would be read as others. So the layout is taken in which the most tables begin with a
row of their own form.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import apsw

from erstwhile.engines.sqlite import folders
from erstwhile.engines.sqlite.encryption import unlocked
from erstwhile.engines.sqlite.file_head import read_head
from erstwhile.engines.sqlite.raw_pages import RawPages, decrypted_pages, pages_of
from erstwhile.repairing.first_page import schema_layouts

_LONGEST = 1 << 40
"""The length in bytes up to which the header of a damaged file is believed."""
_LOGS = ("-wal", "-journal")


def opened_copy(file: Path, folder: Path, key: str) -> apsw.Connection:
    """Copy a file and its logs into a folder, and open the copy."""
    folders.make_private(folder)
    copy = folder / file.name
    for suffix in ("", *_LOGS):
        if Path(f"{file}{suffix}").exists():
            shutil.copyfile(f"{file}{suffix}", f"{copy}{suffix}")
    _extend(copy)
    try:
        return _opened(copy, key, file)
    except apsw.Error:
        if key:
            raise
    best = max(schema_layouts(folder), key=lambda layout: layout.fitting_tables(copy))
    best.write(copy)
    return _opened(copy, "", file)


def all_pages(connection: apsw.Connection, key: str) -> RawPages:
    """Return the pages of an opened copy."""
    [(size,)] = connection.execute("PRAGMA page_size").fetchall()
    file, length = Path(connection.filename), int(str(size))
    return decrypted_pages(file, length, key) if key else pages_of(file, length)


def _extend(file: Path) -> None:
    """Give a file that was cut off its full length: SQLite then reads the pages that are left."""
    head = read_head(str(file))
    if head.is_plain and file.stat().st_size < head.length < _LONGEST:
        os.truncate(file, head.length)


def _opened(copy: Path, key: str, named: Path) -> apsw.Connection:
    """Open a copy whose schema can be read, and move its log into it. Errors name the file."""
    connection = apsw.Connection(str(copy))
    try:
        with unlocked(connection, str(named), key):
            connection.execute("PRAGMA cell_size_check=ON; SELECT COUNT(*) FROM sqlite_schema")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.execute("SELECT COUNT(*) FROM scopes LIMIT 0").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection
