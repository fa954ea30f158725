"""Count the syncs to disk and the bytes written, with a counting VFS for SQLite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

COMMIT = "commit"
CHECKPOINT = "checkpoint"
WRITTEN = "bytes written"
_HEADER = 32
"""The length of the WAL header, which is written and synced when a new log begins."""


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Count the syncs of all files that are opened meanwhile, by kind, and the bytes written."""
    tally: Counter[str] = Counter()
    shim = _CountingVfs(tally)
    try:
        yield tally
    finally:
        shim.unregister()


class _CountingVfs(apsw.VFS):
    def __init__(self, tally: Counter[str]) -> None:
        self.tally = tally
        self.base = apsw.vfs_names()[0]
        super().__init__("counting", base=self.base, makedefault=True)

    def xOpen(  # noqa: N802  the name is SQLite's
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        return _CountingFile(self, name, flags)


class _CountingFile(apsw.VFSFile):
    """Recognises the sync of a commit by the frames that were written to the log before it."""

    def __init__(
        self, vfs: _CountingVfs, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        self._tally = vfs.tally
        self._log = bool(flags[0] & apsw.SQLITE_OPEN_WAL)
        self._frames = False
        super().__init__(vfs.base, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._frames |= self._log and offset >= _HEADER
        self._tally[WRITTEN] += len(data)
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._tally[COMMIT if self._frames else CHECKPOINT] += 1
        self._frames = False
        super().xSync(flags)
