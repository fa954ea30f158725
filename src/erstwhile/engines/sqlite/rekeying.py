"""Encrypt a file, decrypt it, or change its key. The old file stays until the new is checked."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw

from erstwhile.core.errors import BusyError
from erstwhile.core.unfinished_files import unfinished
from erstwhile.engines.sqlite.connection import translate
from erstwhile.engines.sqlite.encryption import check_available, set_key
from erstwhile.engines.sqlite.pages import copy_pages, open_alone


def rekey_file(path: Path, old: str, new: str, check: Callable[[Path, str], object]) -> None:
    """Replace a file by a copy with another key. An empty key means that it is not encrypted.

    `check` raises an error if the copy is not whole. Nobody can write to the file meanwhile.
    """
    check_available()
    try:
        with unfinished(path) as copy:
            with closing(open_alone(path, old)) as source:
                source.execute("PRAGMA locking_mode=EXCLUSIVE; SELECT COUNT(*) FROM sqlite_schema")
                with closing(open_alone(copy, old)) as target:
                    copy_pages(source, target, lambda _done, _total: None)
                    set_key(target, "rekey", new)
                check(copy, new)
            copy.replace(path)
    except apsw.BusyError:
        raise BusyError(f"another program has {path} open", remedy="stop it first") from None
    except apsw.Error as error:
        raise translate(error, str(path)) from error
