"""A disk that may lose what was not synced, made from the recorded calls of SQLite.

A sync makes the earlier writes to its file durable. A new name in the folder is durable when the
folder was synced: the file system of SQLite does so with the first sync of a new log, and when it
deletes a file. At a power cut any subset of the other writes may be on the disk, each of them
whole or torn into sectors: so writes are also dropped, and overtaken by later ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

import apsw

SECTOR = 512


class Call(NamedTuple):
    """A call: "create", "write", "truncate", "sync" or "delete" of a file."""

    kind: str
    file: str
    offset: int = 0
    """Where bytes were written, or the size to which the file was cut."""
    data: bytes = b""
    folder: bool = False
    """Whether the folder was synced, too."""


@dataclass
class _File:
    """The durable bytes of a file, and the changes since its last sync."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[Call] = field(default_factory=list)

    def sync(self) -> None:
        for change in self.pending:
            _apply(self.durable, change)
        self.pending.clear()

    def after_cut(self, chance: Random, lost: float) -> bytes:
        """Return what the disk may hold. `lost` is the share of the changes that is dropped."""
        content = bytearray(self.durable)
        for change in self.pending:
            if chance.random() >= lost:
                _apply(content, change)
            elif change.kind == "write" and chance.random() < lost:
                for part in _sectors(change):
                    if chance.random() < 0.5:
                        _apply(content, part)
        return bytes(content)


class Disk:
    """The files of one folder, durable and not."""

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}
        self._durable: dict[str, _File] = {}
        """The files whose names are durable. A name may lead to another file than now."""

    def do(self, call: Call) -> None:
        match call.kind:
            case "create":
                self._files[call.file] = _File()
            case "delete":
                self._files.pop(call.file, None)
            case "sync":
                self._files[call.file].sync()
            case _:
                self._files[call.file].pending.append(call)
        if call.folder:
            self._durable = dict(self._files)

    def cut(self, folder: Path, chance: Random) -> None:
        """Write what a power cut now may leave into a folder."""
        # Without any loss it is the end of a process: the system goes on, and writes everything.
        lost = chance.choice((0.0, 0.1, 0.5, 0.9, 1.0))
        old_names = lost > 0 and chance.random() < 0.5
        for name, file in (self._durable if old_names else self._files).items():
            (folder / name).write_bytes(file.after_cut(chance, lost))


def _apply(content: bytearray, change: Call) -> None:
    if change.kind == "truncate":
        del content[change.offset :]
        content.extend(bytes(change.offset - len(content)))
        return
    end = change.offset + len(change.data)
    content.extend(bytes(max(0, end - len(content))))
    content[change.offset : end] = change.data


def _sectors(write: Call) -> list[Call]:
    """Return a write in parts that end at the borders of sectors."""
    first, end = write.offset // SECTOR * SECTOR, write.offset + len(write.data)
    borders = [write.offset, *range(first + SECTOR, end, SECTOR), end]
    return [
        write._replace(offset=start, data=write.data[start - write.offset : stop - write.offset])
        for start, stop in pairwise(borders)
    ]


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
        self.after(Call("delete", Path(filename).name, folder=syncdir))

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
            vfs.after(Call("create", self._name))

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        self._vfs.before("read")
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._vfs.before("write")
        super().xWrite(data, offset)
        self._record(Call("write", self._name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._vfs.before("truncate")
        super().xTruncate(newsize)
        self._record(Call("truncate", self._name, newsize))

    def xSync(self, _flags: int) -> None:  # noqa: N802
        self._vfs.before("sync")
        # The real disk is not synced: that takes long, and what was synced is told.
        self._record(Call("sync", self._name, folder=self._syncs_folder))
        self._syncs_folder = False

    def _record(self, call: Call) -> None:
        if self._recorded:
            self._vfs.after(call)
