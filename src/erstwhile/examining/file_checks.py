"""Checks of a memory's file: its mode, its pages, and the disk. They open nothing for writing."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from contextlib import closing
from pathlib import Path

import apsw

from erstwhile.engines.sqlite.connection import connect, translate
from erstwhile.engines.sqlite.location import Location
from erstwhile.engines.sqlite.pages import damages
from erstwhile.examining.diagnosis import Complaint, skip, warn

_COMPANIONS = ("", "-wal", "-shm", "-journal")
_OTHERS = 0o077
_LEAST_FREE = 100 * 2**20
_MIB = 2**20
_PATIENCE = 10.0


def check_modes(path: Path) -> str:
    if os.name != "posix":
        raise skip("this system has no file modes")
    found = [Path(f"{path}{suffix}") for suffix in _COMPANIONS]
    open_to_others = [
        file for file in found if file.exists() and stat.S_IMODE(file.stat().st_mode) & _OTHERS
    ]
    if open_to_others:
        names = ", ".join(file.name for file in open_to_others)
        raise Complaint(
            f"other users can read or change {names}",
            f"run chmod 600 {shlex.join(str(file) for file in open_to_others)}",
        )
    return "only its owner can read the file"


def check_disk(path: Path) -> str:
    """Rewriting the file, and a backup on the same disk, need as much space as the file has."""
    needed = max(_LEAST_FREE, 2 * path.stat().st_size)
    free = shutil.disk_usage(path.parent).free
    if free < needed:
        raise warn(
            f"{free // _MIB:,} MiB are free on the disk, and {needed // _MIB:,} MiB may be needed",
            "free some space, or move the memory with `erstwhile copy`",
        )
    return f"{free // _MIB:,} MiB are free"


def check_pages(path: Path, key: str = "") -> str:
    place = Location(str(path), read_only=True, key=key)
    try:
        with closing(connect(place, synchronous="FULL", patience=_PATIENCE)) as connection:
            found = next(damages(connection), None)
    except apsw.Error as error:
        raise translate(error, str(path)) from error
    if found:
        raise Complaint(
            found,
            "restore a backup with `erstwhile restore`, "
            "or salvage the file with `erstwhile repair --into NEW`",
        )
    return f"{path.stat().st_size // 1024:,} KiB without damage"
