"""The location of a SQLite memory: a path, ":memory:", or a `file:` address as SQLite reads it.

Nothing is written to a file that other users can read: its mode is tightened on opening, or it is
refused. A file that cannot be written is opened for reading only, and so is `file:…?mode=ro`, which
changes neither the file nor its mode.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import apsw

from erstwhile.core.errors import InvalidInputError, NotFoundError, RefusedError, StorageError
from erstwhile.core.folders import make_private, sync, user_folder
from erstwhile.core.unfinished_files import remove_left_behind

MEMORY = ":memory:"
_MODES = ("ro", "rw", "rwc", "memory")
_OTHERS = 0o077
COMPANIONS = ("-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class Location:
    """A file, or the memory of this process, and what may be done with it."""

    path: str
    read_only: bool = False
    create: bool = True
    immutable: bool = False
    """Whether the caller promises that nobody writes the file meanwhile."""
    key: str = field(default="", repr=False)
    """The key of an encrypted file."""

    @property
    def is_unwritten(self) -> bool:
        """Whether all data is in the file itself: no log is beside it."""
        log = Path(f"{self.path}-wal")
        return self.immutable or not (log.exists() and log.stat().st_size)

    @property
    def changed_at(self) -> int:
        """The time of the last change of the file, in nanoseconds."""
        return Path(self.path).stat().st_mtime_ns

    @property
    def as_immutable(self) -> str:
        """The address with which SQLite reads the file without locks and without companions."""
        return f"file:{quote(self.path)}?immutable=1"


def read_location(place: str | Path) -> Location:
    """Return what a path or a `file:` address means."""
    written = str(place)
    if written == MEMORY:
        return Location(MEMORY)
    if not written.startswith("file:"):
        return Location(_absolute(written))
    path, options = _read_address(written)
    mode = options.get("mode", "rwc")
    if mode == "memory" or path == MEMORY:
        return Location(MEMORY)
    immutable = options.get("immutable", "0") not in ("0", "no", "off", "false")
    return Location(
        _absolute(path),
        read_only=immutable or mode == "ro",
        create=mode == "rwc",
        immutable=immutable,
    )


def prepared(location: Location) -> Location:
    """Create a missing file, or check an existing one; return what may be done with it."""
    if location.path == MEMORY:
        return location
    place = Path(location.path)
    try:
        if location.create and not location.read_only and _is_created(place):
            return location
        return _checked(location, place)
    except FileNotFoundError:
        raise NotFoundError(
            f"there is no memory at {place}",
            remedy="check the path, or create a memory there with `remember`",
        ) from None
    except OSError as error:
        raise StorageError(
            f"{place} cannot be opened ({error.strerror})",
            remedy="check the path and its permissions",
        ) from error


def _read_address(address: str) -> tuple[str, dict[str, str]]:
    """Return the path and the options of a `file:` address; refuse options that we cannot keep."""
    split = urlsplit(address)
    if split.netloc not in ("", "localhost"):
        raise InvalidInputError(
            "a file: address cannot name another machine", remedy="write file:/path or file:///path"
        )
    options = dict(parse_qsl(split.query, keep_blank_values=True))
    unknown = sorted(options.keys() - {"mode", "immutable"})
    if unknown or options.get("mode", "rw") not in _MODES:
        raise InvalidInputError(
            f"a file: address has an unknown {unknown[0] if unknown else 'mode'}",
            remedy=f"use mode ({', '.join(_MODES)}) and immutable",
        )
    return unquote(split.path), options


def _absolute(path: str) -> str:
    """Return the full path, through symbolic links: SQLite puts its log beside the real file."""
    try:
        return str(Path(path).expanduser().resolve())
    except (RuntimeError, OSError):
        raise InvalidInputError(
            f"{path} names no home folder, or is a loop of links", remedy="write the full path"
        ) from None


def _is_created(place: Path) -> bool:
    """Create a private file; return False if it is there. Its folder must exist.

    An existing file is not opened here: closing it would release the locks of this process.
    """
    _check_folder(place.parent)
    if place.exists():
        return False
    try:
        os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
    except FileExistsError:  # another process was faster
        return False
    sync(place.parent)
    return True


def _check_folder(folder: Path) -> None:
    """Raise NotFoundError for a missing folder; only the default one of the user is created."""
    if folder.exists():
        return
    if folder != user_folder("data").resolve():
        raise NotFoundError(
            f"there is no folder {folder}", remedy="correct the path, or create the folder first"
        )
    make_private(folder)


def _checked(location: Location, place: Path) -> Location:
    if stat.S_ISDIR(place.stat().st_mode):
        raise InvalidInputError(f"{place} is a folder", remedy="give a file in it")
    if location.read_only:
        return location
    writable = _may_write(place) and _may_write(place.parent)
    if writable:
        remove_left_behind(place.parent)
    if not is_exposed(place) or read_head(str(place)).may_be_memory:
        for suffix in ("", *COMPANIONS):
            _tighten(Path(f"{place}{suffix}"), must=writable)
    return replace(location, read_only=not writable)


def _may_write(place: Path) -> bool:
    return os.access(place, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def is_exposed(file: Path) -> bool:
    """Return whether other users have rights."""
    return os.name == "posix" and bool(file.stat().st_mode & _OTHERS)


def _tighten(file: Path, *, must: bool) -> None:
    """Take away the rights of other users."""
    try:
        if is_exposed(file):
            file.chmod(stat.S_IMODE(file.stat().st_mode) & ~_OTHERS)
    except FileNotFoundError:  # companions come and go
        return
    except PermissionError:
        if must:
            raise RefusedError(
                f"other users may read or change {file}, and only its owner can end that",
                remedy="let the owner run chmod 600 on it, or open it with file:…?mode=ro",
            ) from None


_PLAIN = b"SQLite format 3\0"
_FRACTIONS = b"\x40\x20\x20"
"""Three bytes that every SQLite file has at the same place. They are never encrypted."""


@dataclass(frozen=True, slots=True)
class FileHead:
    """The first bytes of a file; none if it is empty or cannot be read."""

    content: bytes

    @property
    def is_empty(self) -> bool:
        """Whether SQLite begins a new database there: it takes one byte for none."""
        return len(self.content) <= 1

    @property
    def is_plain(self) -> bool:
        return self.content.startswith(_PLAIN)

    @property
    def is_encrypted(self) -> bool:
        return not self.is_plain and self.content[21:24] == _FRACTIONS

    @property
    def may_be_memory(self) -> bool:
        """Whether the file is empty or a database. The rights of other files are not changed."""
        return self.is_empty or self.is_plain or self.is_encrypted

    @property
    def length(self) -> int:
        """The length in bytes that a plain database has by its own account."""
        size = int.from_bytes(self.content[16:18])
        return int.from_bytes(self.content[28:32]) * (65_536 if size == 1 else size)


def read_head(path: str) -> FileHead:
    """Read the first bytes as SQLite does: closing the file otherwise would release its locks."""
    try:
        flags = [apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB, 0]
        file = apsw.VFSFile("", path, flags)
        try:
            return FileHead(file.xRead(32, 0))
        finally:
            file.xClose()
    except apsw.Error:
        return FileHead(b"")
