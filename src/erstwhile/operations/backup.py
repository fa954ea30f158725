"""Write, verify and rotate backups. A backup is a file with one snapshot of a memory.

A file is copied page by page while others write to it. A space on a server is copied row by row
into a file, so a backup opens without the server. It gets its name only after it was verified, so a
file with the name of a backup is whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import apsw

from erstwhile.core.arguments import unseen
from erstwhile.core.errors import CorruptError, ErstwhileError, StorageError
from erstwhile.core.ports import Engine, Session
from erstwhile.core.unfinished_files import unfinished
from erstwhile.engines.sqlite import location as folders
from erstwhile.engines.sqlite.connection import translated
from erstwhile.engines.sqlite.encryption import attach
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.engines.sqlite.pages import Progress, copy_pages, damages, open_alone, open_frozen
from erstwhile.operations.copy import copy
from erstwhile.operations.full_access import full_access
from erstwhile.operations.results import Backup
from erstwhile.operations.tables import copied_tables, statements
from erstwhile.storage.audit import verify_trail

_REMEDY = "use another backup"


class Content(NamedTuple):
    """The number of rows of each table, and of entries on the audit trail."""

    rows: Mapping[str, int]
    entries: int


def count_rows(engine: Engine, session: Session) -> dict[str, int]:
    return {name: table.count(session) for name, table in copied_tables(engine, session).items()}


def verify(path: Path, key: str = "") -> Content:
    """Check a closed file, and count its rows. Raise CorruptError if it is damaged."""
    with translated(path), closing(open_frozen(path, key)) as connection:
        found = next(damages(connection), None)
    if found:
        raise CorruptError(f"{path} is damaged: {found}", remedy=_REMEDY)
    frozen = f"{path.as_uri()}?mode=ro&immutable=1"
    with closing(SqliteEngine(frozen, create=False, key=key)) as engine:
        rows = engine.read(partial(count_rows, engine))
        trail = verify_trail(full_access(engine))
    if not trail.ok:
        raise CorruptError(f"{path}: {trail.problems[0]}", remedy=_REMEDY)
    return Content(rows, trail.entries)


def is_earlier_state(older: Path, newer: Path, key: str = "") -> bool:
    """Return whether a newer backup has every change of an older one.

    It is False for what cannot be read: no backup, a damaged one, or one with another key.
    """
    try:
        with closing(open_frozen(newer, key)) as connection:
            attach(connection, older, "older", key)
            return not connection.execute(statements("sqlite")["new_chains",]).fetchall()
    except (apsw.Error, ErstwhileError):
        return False


_STAMP = "%Y%m%dT%H%M%S%fZ"
_SUFFIX = ".db"


def backup_name(name: str, made_at: datetime) -> str:
    return f"{name}.{made_at.astimezone(UTC).strftime(_STAMP)}{_SUFFIX}"


def list_backups(folder: Path, name: str) -> list[tuple[datetime, Path]]:
    """List the backups of one memory in a folder, oldest first. Ignore other files."""
    named = re.compile(rf"{re.escape(name)}\.(\d{{8}}T\d{{12}}Z){re.escape(_SUFFIX)}")
    found = []
    for path in folder.iterdir():
        if match := named.fullmatch(path.name):
            with suppress(ValueError):  # the digits are no time
                found.append((datetime.strptime(match[1], _STAMP).replace(tzinfo=UTC), path))
    return sorted(found)


def rotate(
    name: str, newest: Path, keep: int | None, since: datetime | None, key: str
) -> Iterator[Path]:
    """Remove and yield backups beyond the newest `keep`, or made before `since`.

    A backup with a later time in its name stays: it was made with a wrong clock. So does a backup
    with content that the newest backup does not have.
    """
    if keep is None and since is None:
        return
    place = 1
    for made_at, path in reversed(list_backups(newest.parent, name)):
        if path.name >= newest.name or not is_earlier_state(path, newest, key):
            continue
        if (keep and place >= keep) or (since and made_at < since):
            path.unlink(missing_ok=True)
            yield path
        place += 1


def back_up(
    engine: Engine,
    folder: Path,
    name: str,
    now: datetime,
    keep: int | None,
    since: datetime | None,
    progress: Progress,
) -> Backup:
    """Write a backup into the folder, verify it, and then remove older ones."""
    target = folder / backup_name(name, now)
    try:
        folders.make_private(folder)
        content = write_verified(engine, target, progress)
        removed = rotate(name, target, keep, since, getattr(engine, "key", ""))
        return Backup(
            path=str(target),
            made_at=now,
            bytes=target.stat().st_size,
            rows=MappingProxyType(dict(content.rows)),
            entries=content.entries,
            removed=tuple(map(str, removed)),
        )
    except OSError as error:
        raise StorageError(
            f"a backup cannot be written to {folder} ({error.strerror})",
            remedy="check the folder, its permissions and the space on its disk",
        ) from error


def write_verified(engine: Engine, target: Path, progress: Progress) -> Content:
    """Copy a memory to a new file. The file gets its name after verification."""

    def write(path: Path) -> Mapping[str, int]:
        if isinstance(engine, SqliteEngine):
            return engine.save(path, partial(count_rows, engine), progress)
        with closing(SqliteEngine(path)) as file:
            return dict(copy(engine, file, progress, trust_permissions=True).rows)

    return _write_verified(target, getattr(engine, "key", ""), write)


def save_verified(source: apsw.Connection, target: Path, key: str) -> None:
    """Copy an open file to a new one. The file gets its name after verification."""

    def write(path: Path) -> Mapping[str, int]:
        with closing(open_alone(path, key)) as copy:
            copy_pages(source, copy, unseen)
        with closing(SqliteEngine(path, key=key)) as file:  # migrates a file of an earlier version
            return file.read(partial(count_rows, file))

    _write_verified(target, key, write)


def _write_verified(target: Path, key: str, write: Callable[[Path], Mapping[str, int]]) -> Content:
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
