"""Encrypt a file, decrypt it, or change its key. The old file stays until the new is checked.

The old file is locked until the new one has its name. A program that waited for the lock then has
a file without a name: SQLite refuses to write it, or to begin a log for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw

from erstwhile.core.errors import BusyError, ConflictError, InvalidInputError
from erstwhile.core.unfinished_files import unfinished
from erstwhile.engines.sqlite import location as folders
from erstwhile.engines.sqlite.connection import translate
from erstwhile.engines.sqlite.encryption import check_available, set_key
from erstwhile.engines.sqlite.location import read_head
from erstwhile.engines.sqlite.pages import copy_pages, open_alone, open_locked


def rekey_file(path: Path, old: str, new: str, check: Callable[[Path, str], object]) -> None:
    """Replace a file by a copy with another key. An empty key means that it is not encrypted.

    `check` raises an error if the copy is not whole. Nobody can write to the file meanwhile.
    """
    _check_keys(path, old, new)
    check_available()
    try:
        with unfinished(path) as copy, closing(open_locked(path, old)) as source:
            with closing(open_alone(copy, old)) as target:
                copy_pages(source, target, lambda _done, _total: None)
                set_key(target, "rekey", new)
            check(copy, new)
            _replace(path, copy, source)
    except (apsw.BusyError, PermissionError):
        raise BusyError(
            f"another program has {path} open", remedy="stop all programs that use it"
        ) from None
    except apsw.Error as error:
        raise translate(error, str(path)) from error
    folders.sync(path.parent)


def _check_keys(path: Path, old: str, new: str) -> None:
    head = read_head(str(path))
    if not old and not new and not head.is_encrypted:
        raise InvalidInputError(f"{path} is not encrypted", remedy="give a key to encrypt it")
    if not old and new and head.is_encrypted:
        raise ConflictError(
            f"{path} is encrypted already", remedy="change its key with `erstwhile rekey`"
        )
    if old and not new and head.is_plain:
        raise ConflictError(f"{path} is not encrypted", remedy="unset `key`: nothing is to do")


def _replace(path: Path, copy: Path, source: apsw.Connection) -> None:
    if os.name != "posix":
        source.close()  # Windows replaces no file that a program has open, neither ours nor others
    copy.replace(path)
