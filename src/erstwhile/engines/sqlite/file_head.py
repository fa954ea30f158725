"""The first bytes of a file: they tell plain databases, encrypted ones and other files apart."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

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
