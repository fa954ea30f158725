"""New files that get their name when they are whole.

Until then a file has a name that ends with `.unfinished`. A process that is killed leaves it
behind, and it may hold plain text of an encrypted memory. Whoever writes into a folder holds a
shared lock on it. So the next one who writes there, or opens a memory there, can remove what was
left.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir, mkdtemp

if os.name == "posix":
    import fcntl

_UNFINISHED = re.compile(r".+\.[0-9a-f]{16}\.unfinished(-journal|-wal|-shm)?")
_COMPANIONS = ("", "-journal", "-wal", "-shm")


@contextmanager
def unfinished(target: Path) -> Iterator[Path]:
    """Yield a new path beside `target`, for a file or a folder. Remove it if it is still there."""
    path = target.with_name(f"{target.name}.{token_hex(8)}.unfinished")
    with _writing_into(target.parent):
        try:
            yield path
        finally:
            for suffix in _COMPANIONS:
                _remove(Path(f"{path}{suffix}"))


def remove_left_behind(folder: Path) -> None:
    """Remove what killed processes left in a folder, unless somebody writes there now."""
    with suppress(OSError):
        if any(_UNFINISHED.fullmatch(path.name) for path in folder.iterdir()):
            with _writing_into(folder):
                pass


def scratch_folder() -> Path:
    """Return a folder of this user alone, among the temporary files.

    It has the same name each time, so that the next process finds what a killed one left. If
    somebody else made it, take a new one.
    """
    folder = Path(gettempdir(), f"erstwhile-{os.getuid() if os.name == 'posix' else 'import'}")
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    private = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077
    mine = os.name != "posix" or (private and found.st_uid == os.getuid())
    return folder if mine else Path(mkdtemp(prefix="erstwhile-"))


@contextmanager
def _writing_into(folder: Path) -> Iterator[None]:
    """Hold a shared lock on a folder; remove what is left there if nobody else holds one."""
    if os.name != "posix":
        yield
        return
    opened = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # others write here, or the file system has no locks
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for path in list(folder.iterdir()):
                if _UNFINISHED.fullmatch(path.name):
                    _remove(path)
        with suppress(OSError):  # without locks nobody removes anything
            fcntl.flock(opened, fcntl.LOCK_SH)
        yield
    finally:
        os.close(opened)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
