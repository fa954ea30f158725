"""Files that were replaced while a connection has them open, as a change of the key does."""

from __future__ import annotations

import ctypes

import apsw

from erstwhile.core.errors import BusyError


def was_replaced(connection: apsw.Connection) -> bool:
    """Return whether another file has the name now. Then errors tell nothing about that file."""
    moved = ctypes.c_int()
    connection.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, ctypes.addressof(moved))
    return bool(moved.value)


def replaced_error(path: str) -> BusyError:
    return BusyError(f"{path} was replaced meanwhile", remedy="open it again")
