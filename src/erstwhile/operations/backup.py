"""Write, verify and rotate backups. A backup is a file with one snapshot of a memory.

A file is copied page by page while others write to it. A space on a server is copied row by row
into a file, so a backup opens without the server. It gets its name only after it was verified, so a
file with the name of a backup is whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType

import apsw

from erstwhile.core.errors import CorruptError, ErstwhileError, InvalidInputError, StorageError
from erstwhile.core.ports import Engine, Session
from erstwhile.core.scope import Viewer
from erstwhile.core.time import SystemClock
from erstwhile.core.unfinished_files import unfinished
from erstwhile.engines.sqlite import location as folders
from erstwhile.engines.sqlite.connection import translate
from erstwhile.engines.sqlite.encryption import attach
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.engines.sqlite.pages import Progress, copy_pages, damages, open_alone, open_frozen
from erstwhile.operations.copy import copy
from erstwhile.operations.results import Backup
from erstwhile.operations.tables import copied_tables
from erstwhile.search.analyser import LazyAnalyser
from erstwhile.storage.access import Access
from erstwhile.storage.audit import verify_trail

_REMEDY = "use another backup"


@dataclass(frozen=True, slots=True)
class Content:
    """The number of rows of each table, and of entries on the audit trail."""

    rows: Mapping[str, int]
    entries: int


def count_rows(engine: Engine, session: Session) -> dict[str, int]:
    return {name: table.count(session) for name, table in copied_tables(engine, session).items()}


def verify(path: Path, key: str = "") -> Content:
    """Check a closed file, and count its rows. Raise CorruptError if it is damaged."""
    _check_pages(path, key)
    frozen = f"{path.as_uri()}?mode=ro&immutable=1"
    with closing(SqliteEngine(frozen, create=False, key=key)) as engine:
        rows = engine.read(lambda session: count_rows(engine, session))
        access = Access(engine, SystemClock(), Viewer(everything=True), LazyAnalyser())
        trail = verify_trail(access)
    if not trail.ok:
        raise CorruptError(f"{path}: {trail.problems[0]}", remedy=_REMEDY)
    return Content(rows, trail.entries)


def _check_pages(path: Path, key: str) -> None:
    try:
        with closing(open_frozen(path, key)) as connection:
            found = next(damages(connection), None)
    except apsw.Error as error:
        raise translate(error, str(path)) from error
    if found:
        raise CorruptError(f"{path} is damaged: {found}", remedy=_REMEDY)


_NEW_CHAINS = """SELECT 1 FROM older.scopes AS o WHERE NOT EXISTS (
  SELECT 1 FROM main.scopes AS n
  WHERE (n.space, n.id, n.digest_key) = (o.space, o.id, o.digest_key)
    AND (n.scope_user, n.scope_agent, n.scope_project, n.scope_session)
      = (o.scope_user, o.scope_agent, o.scope_project, o.scope_session)
    AND (o.head_seq = 0
      OR EXISTS (
        SELECT 1 FROM main.audit AS a
        WHERE (a.space, a.scope, a.seq, a.hash) = (o.space, o.id, o.head_seq, o.head_hash))
      OR EXISTS (
        SELECT 1 FROM main.audit AS s
        WHERE (s.space, s.scope, s.action) = (o.space, o.id, 'audit.seal')
          AND CAST(s.subject AS INTEGER) >= o.head_seq)))
LIMIT 1"""


def is_earlier_state(older: Path, newer: Path, key: str = "") -> bool:
    """Return whether a newer backup has every change of an older one.

    It is False for what cannot be read: no backup, a damaged one, or one with another key.
    """
    try:
        with closing(open_frozen(newer, key)) as connection:
            attach(connection, older, "older", key)
            return not connection.execute(_NEW_CHAINS).fetchall()
    except (apsw.Error, ErstwhileError):
        return False


_STAMP = "%Y%m%dT%H%M%S%fZ"
_SUFFIX = ".db"


@dataclass(frozen=True, slots=True)
class Kept:
    """Rotation limits: keep the newest `number` backups, and those made after `since`."""

    number: int | None = None
    since: datetime | None = None

    def __post_init__(self) -> None:
        if self.number is not None and (isinstance(self.number, bool) or self.number < 1):
            raise InvalidInputError(
                f"keep cannot be {self.number!r}", remedy="keep at least one backup"
            )


def backup_name(name: str, made_at: datetime) -> str:
    return f"{name}.{made_at.astimezone(UTC).strftime(_STAMP)}{_SUFFIX}"


def list_backups(folder: Path, name: str) -> list[tuple[datetime, Path]]:
    """List the backups of one memory in a folder, oldest first. Ignore other files."""
    named = re.compile(rf"{re.escape(name)}\.(\d{{8}}T\d{{12}}Z){re.escape(_SUFFIX)}")
    found = ((named.fullmatch(path.name), path) for path in folder.iterdir())
    times = ((_made_at(match[1]), path) for match, path in found if match)
    return sorted((made_at, path) for made_at, path in times if made_at)


def rotate(name: str, newest: Path, kept: Kept, key: str = "") -> tuple[Path, ...]:
    """Remove and return the backups beyond the limits, except the newest one.

    What has a later time in its name stays: it was made with a wrong clock, or is no backup. So
    does what holds something that the newest backup does not hold.
    """
    if kept == Kept():
        return ()
    older = [
        (made_at, path)
        for made_at, path in list_backups(newest.parent, name)
        if path.name < newest.name and is_earlier_state(path, newest, key)
    ]
    removed = tuple(
        path
        for place, (made_at, path) in enumerate(reversed(older), start=1)
        if _exceeds_limits(kept, place, made_at)
    )
    for path in removed:
        path.unlink(missing_ok=True)
    return removed


def _exceeds_limits(kept: Kept, place: int, made_at: datetime) -> bool:
    """Return whether a backup exceeds the number, or the age."""
    exceeds = kept.number is not None and place >= kept.number
    return exceeds or (kept.since is not None and made_at < kept.since)


def _made_at(stamp: str) -> datetime | None:
    """Parse the time in a file name; return None if it is invalid."""
    try:
        return datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def back_up(
    engine: Engine, folder: Path, name: str, now: datetime, kept: Kept, progress: Progress
) -> Backup:
    """Write a backup into the folder, verify it, and then remove older ones."""
    target, key = folder / backup_name(name, now), getattr(engine, "key", "")
    with _errors_naming_folder(folder):
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
    """Copy a memory to a new file. The file gets its name after verification."""
    key = getattr(engine, "key", "")
    return _write_verified(target, key, lambda path: _copy_all_rows(engine, path, progress))


def save_verified(source: apsw.Connection, target: Path, key: str) -> None:
    """Copy an open file to a new one. The file gets its name after verification."""
    _write_verified(target, key, lambda path: _copy_all_pages(source, path, key))


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


def _copy_all_rows(engine: Engine, target: Path, progress: Progress) -> Mapping[str, int]:
    """Write all data to a file; return the number of rows of each table in the source."""
    if isinstance(engine, SqliteEngine):
        return engine.save(target, partial(count_rows, engine), progress)
    with closing(SqliteEngine(target)) as file:
        return dict(copy(engine, file, progress, trust_permissions=True).rows)


def _copy_all_pages(source: apsw.Connection, target: Path, key: str) -> Mapping[str, int]:
    with closing(open_alone(target, key)) as copy:
        copy_pages(source, copy, lambda _done, _total: None)
    with closing(SqliteEngine(target, key=key)) as file:  # migrates what an earlier version made
        return file.read(partial(count_rows, file))


@contextmanager
def _errors_naming_folder(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"a backup cannot be written to {folder} ({error.strerror})",
            remedy="check the folder, its permissions and the space on its disk",
        ) from error
