"""Make a backup: a file of its own with one snapshot of a memory, verified after writing.

A file is copied page by page while others write to it. A space on a server is copied row by row
into a file, so a backup opens without the server. It gets its name only after it was verified, so a
file with the name of a backup is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from erstwhile.backups.rotation import Kept, backup_name, rotate
from erstwhile.backups.verify import Content, count_rows, verify
from erstwhile.copying.copy import copy
from erstwhile.core.errors import CorruptError, StorageError
from erstwhile.core.unfinished_files import unfinished
from erstwhile.engines.sqlite import folders
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.engines.sqlite.pages import Progress, copy_pages, open_alone
from erstwhile.secrets.masking import masked_repr

if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

    from erstwhile.core.ports import Engine


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A backup that was written and verified.

    `rows` has the number of rows of each table, `entries` the number of verified entries on the
    audit trail. `removed` are the older backups that were removed afterwards.
    """

    path: str
    made_at: datetime
    bytes: int
    rows: Mapping[str, int] = field(hash=False)
    entries: int
    removed: tuple[str, ...]


def back_up(
    engine: Engine, folder: Path, name: str, now: datetime, kept: Kept, progress: Progress
) -> Backup:
    """Write a backup into the folder, verify it, and then remove older ones."""
    target, key = folder / backup_name(name, now), getattr(engine, "key", "")
    with _translated(folder):
        folders.make_private(folder)
        content = write_verified(engine, target, progress)
        return Backup(
            path=str(target),
            made_at=now,
            bytes=target.stat().st_size,
            rows=MappingProxyType(dict(content.rows)),
            entries=content.entries,
            removed=tuple(map(str, rotate(name, target, kept, key))),
        )


def write_verified(engine: Engine, target: Path, progress: Progress) -> Content:
    """Write a copy of a memory to a new file. The file has this name only if it is whole."""
    key = getattr(engine, "key", "")
    return _verified(target, key, lambda path: _written(engine, path, progress))


def save_verified(source: apsw.Connection, target: Path, key: str) -> None:
    """Write a copy of an open file to a new one, in the same way."""
    _verified(target, key, lambda path: _saved(source, path, key))


def _verified(target: Path, key: str, write: Callable[[Path], Mapping[str, int]]) -> Content:
    with unfinished(target) as path:
        expected = write(path)
        content = verify(path, key)
        if content.rows != expected:
            raise CorruptError(
                f"{target} does not have all rows of its source", remedy="check the disk"
            )
        path.rename(target)
    folders.sync(target.parent)
    return content


def _written(engine: Engine, target: Path, progress: Progress) -> Mapping[str, int]:
    """Write all data to a file; return the number of rows of each table in the source."""
    if isinstance(engine, SqliteEngine):
        return engine.save(target, partial(count_rows, engine), progress)
    with closing(SqliteEngine(target)) as file:
        return dict(copy(engine, file, progress, vouch=True).rows)


def _saved(source: apsw.Connection, target: Path, key: str) -> Mapping[str, int]:
    with closing(open_alone(target, key)) as copy:
        copy_pages(source, copy, lambda _done, _total: None)
    with closing(SqliteEngine(target, key=key)) as file:  # migrates what an earlier version made
        return file.read(partial(count_rows, file))


@contextmanager
def _translated(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"a backup cannot be written to {folder} ({error.strerror})",
            remedy="check the folder, its permissions and the space on its disk",
        ) from error
