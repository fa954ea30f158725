"""A virtual file system of SQLite that reports each call, which may also be made to fail."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw

from tests.reliability.disk import Call, Create, Delete, Sync, Truncate, Write

_LOGS = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL


class RecordingVfs(apsw.VFS):
    """The default of its process as long as it exists.

    `before` gets the name of each operation and may raise an error, `after` gets each call.
    """

    def __init__(self) -> None:
        self.before: Callable[[str], object] = len
        self.after: Callable[[Call], object] = type
        self.base = apsw.vfs_names()[0]
        self._known: set[str] = set()
        super().__init__("recording", base=self.base, makedefault=True)

    def xOpen(  # noqa: N802  the names are SQLite's
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        self.before("open")
        return _RecordedFile(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self.before("delete")
        super().xDelete(filename, syncdir)
        self._known.discard(filename)
        self.after(Delete(Path(filename).name, syncdir))

    def is_new(self, name: str) -> bool:
        """Return whether a file was not opened before, and remember it."""
        if name in self._known:
            return False
        self._known.add(name)
        return True


class _RecordedFile(apsw.VFSFile):
    def __init__(
        self, vfs: RecordingVfs, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        self._vfs = vfs
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self._recorded = path is not None and not flags[0] & apsw.SQLITE_OPEN_TEMP_DB
        self._name = Path(path or "").name
        super().__init__(vfs.base, name, flags)
        new = self._recorded and vfs.is_new(str(path))
        self._syncs_folder = new and bool(flags[0] & _LOGS)
        if new:
            vfs.after(Create(self._name))

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        self._vfs.before("read")
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._vfs.before("write")
        super().xWrite(data, offset)
        self._tell(Write(self._name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._vfs.before("truncate")
        super().xTruncate(newsize)
        self._tell(Truncate(self._name, newsize))

    def xSync(self, _flags: int) -> None:  # noqa: N802
        self._vfs.before("sync")
        # The real disk is not synced: that takes long, and what was synced is told.
        self._tell(Sync(self._name, self._syncs_folder))
        self._syncs_folder = False

    def _tell(self, call: Call) -> None:
        if self._recorded:
            self._vfs.after(call)
