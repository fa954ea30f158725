"""Copies of a SQLite database page by page, while others write to it.

The source connection holds a snapshot, so the copy is one moment of the source, and it does not
begin anew when somebody writes. The target gets all pages in one transaction.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw

from erstwhile.core.errors import BusyError, ConflictError, InvalidInputError
from erstwhile.core.folders import sync
from erstwhile.core.ports import Progress, unseen
from erstwhile.core.unfinished_files import unfinished
from erstwhile.engines.sqlite.connection import (
    PAGE,
    closed_on_failure,
    translate,
    waiting_up_to,
)
from erstwhile.engines.sqlite.encryption import check_available, set_key, unlocked
from erstwhile.engines.sqlite.location import read_head

_READERS_WAIT = 100
"""Milliseconds to wait for readers of the log."""
_PAGES = 256
"""The number of pages in one step: few enough that other threads get their turn."""


def open_alone(path: Path, key: str = "") -> apsw.Connection:
    """Open a database that no other program has open. Create a private file if there is none.

    Raise apsw.BusyError if another program has it open: only the last connection can leave the log.
    """
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
    connection = apsw.Connection(str(path))
    with closed_on_failure(connection), unlocked(connection, str(path), key):
        # Pages are copied between encrypted files only if they are equally long.
        connection.execute(f"PRAGMA page_size={PAGE}; PRAGMA synchronous=EXTRA")
        connection.execute("PRAGMA journal_mode=DELETE").fetchall()
    return connection


def open_locked(path: Path, key: str = "") -> apsw.Connection:
    """Open a database alone, and keep all others from reading and writing it until it is closed.

    Do not open the file in any other way until then: closing it would end this process's lock.
    """
    connection = open_alone(path, key)
    with closed_on_failure(connection):
        # A transaction leaves an empty file empty. The mode keeps the lock after it, since pages
        # cannot be copied in a transaction.
        connection.execute("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK").fetchall()
        if connection.execute("PRAGMA journal_mode").fetchall() != [("delete",)]:
            raise apsw.BusyError("another program opened the file before the lock")
    return connection


def open_frozen(path: Path, key: str = "") -> apsw.Connection:
    """Open a file in which nobody writes, for reading."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(f"{path.as_uri()}?immutable=1", flags)
    with closed_on_failure(connection), unlocked(connection, str(path), key):
        connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchall()
    return connection


def copy_pages(source: apsw.Connection, target: apsw.Connection, progress: Progress) -> None:
    """Replace the content of `target` by that of `source`."""
    with target.backup("main", source, "main") as work:
        while not work.done:
            work.step(_PAGES)
            progress(work.page_count - work.remaining, work.page_count)


def rekey_file(path: Path, old: str, new: str, check: Callable[[Path, str], object]) -> None:
    """Replace a file by a copy with another key. An empty key means that it is not encrypted.

    `check` raises an error if the copy is not whole. The old file is locked until the new one has
    its name. A program that waited for the lock then has a file without a name: SQLite refuses to
    write it, or to begin a log for it.
    """
    _check_keys(path, old, new)
    check_available()
    try:
        with unfinished(path) as copy, closing(open_locked(path, old)) as source:
            with closing(open_alone(copy, old)) as target:
                copy_pages(source, target, unseen)
                set_key(target, "rekey", new)
            check(copy, new)
            if os.name != "posix":
                source.close()  # Windows replaces no file that a program has open
            copy.replace(path)
    except (apsw.BusyError, PermissionError):
        raise BusyError(
            f"another program has {path} open", remedy="stop all programs that use it"
        ) from None
    except apsw.Error as error:
        raise translate(error, str(path)) from error
    sync(path.parent)


def _check_keys(path: Path, old: str, new: str) -> None:
    head = read_head(str(path))
    if not old and not new and not head.is_encrypted:
        raise InvalidInputError(f"{path} is not encrypted", remedy="give a key to encrypt it")
    if not old and new and head.is_encrypted:
        raise ConflictError(
            f"{path} is already encrypted", remedy="change its key with `erstwhile rekey`"
        )
    if old and not new and head.is_plain:
        raise ConflictError(f"{path} is not encrypted", remedy="unset `key`")


def damages(connection: apsw.Connection) -> Iterator[str]:
    """Yield what is wrong with the structure of a database: pages, references, full-text index."""
    for (line,) in connection.execute("PRAGMA integrity_check"):
        if line != "ok":
            yield str(line)
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        yield f"row {row} of {table} refers to a row of {parent} that does not exist"


_FREED_PAGES = 256
"""The number of free pages that one step gives back."""


def give_back(connection: apsw.Connection) -> int:
    """Give some free pages back to the disk; return their number, 0 if there are none."""
    before = _free(connection)
    connection.execute(f"PRAGMA incremental_vacuum({_FREED_PAGES})").fetchall()
    return before - _free(connection)


def shorten_log(connection: apsw.Connection, patience: float) -> tuple[bool, int]:
    """Move the log into the file; return whether somebody reads it, and the pages that are left.

    Wait for readers only a moment, since others cannot write meanwhile. Then leave the connection
    with its usual patience.
    """
    connection.set_busy_timeout(_READERS_WAIT)
    try:
        [(busy, left, moved)] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        connection.set_busy_handler(waiting_up_to(patience))
    return bool(busy), max(0, int(str(left)) - int(str(moved)))


def _free(connection: apsw.Connection) -> int:
    return int(str(connection.execute("PRAGMA freelist_count").fetchall()[0][0]))
