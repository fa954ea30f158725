"""A virtual file system for SQLite that reports each write and each sync."""

from __future__ import annotations

from collections.abc import Callable

import apsw

Watcher = Callable[[str], object]


def _ignore(name: str) -> None:
    pass


class WatchedVfs(apsw.VFS):
    """The default of its process as long as it exists. Watchers get the name of the file."""

    def __init__(
        self, *, on_write: Watcher = _ignore, on_sync: Watcher = _ignore, sync: bool = True
    ) -> None:
        self.on_write = on_write
        self.on_sync = on_sync
        self.sync = sync
        self.base = apsw.vfs_names()[0]
        super().__init__("watched", base=self.base, makedefault=True)

    def xOpen(  # noqa: N802  the name is SQLite's
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        return _WatchedFile(self, name, flags)


class _WatchedFile(apsw.VFSFile):
    def __init__(
        self, vfs: WatchedVfs, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        self._vfs = vfs
        self._name = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        super().__init__(vfs.base, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._vfs.on_write(self._name)
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._vfs.on_sync(self._name)
        if self._vfs.sync:
            super().xSync(flags)
