"""Write, verify, rotate and restore backups. A backup is a file with one snapshot of a memory.

A file is copied page by page while others write to it. A space on a server is copied row by row
into a file, so a backup opens without the server. It gets its name only after it was verified, so a
file with the name of a backup is whole.

A memory that another program has open is not replaced by a restoration: the program would go on
with what it holds in memory. The file is locked from before it is saved until it is replaced, so
that no write between gets lost. A damaged file is set aside, and stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import apsw

from erstwhile.core import folders
from erstwhile.core.errors import (
    BusyError,
    ConflictError,
    CorruptError,
    ErstwhileError,
    StorageError,
)
from erstwhile.core.json_values import FrozenDict
from erstwhile.core.ports import Engine, Progress, Session, unseen
from erstwhile.core.unfinished_files import unfinished
from erstwhile.engines.sqlite.connection import translate, translated
from erstwhile.engines.sqlite.encryption import attach
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.engines.sqlite.location import COMPANIONS
from erstwhile.engines.sqlite.pages import (
    copy_pages,
    damages,
    open_alone,
    open_frozen,
    open_locked,
)
from erstwhile.operations.copy import copy, empty, is_empty, mark_untrusted, untrusted_in
from erstwhile.operations.full_access import full_access
from erstwhile.operations.results import Backup, Restored
from erstwhile.operations.tables import copied_tables, statements
from erstwhile.storage.audit_chain import verify as verify_trail

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
        trail = full_access(engine).ask(verify_trail)
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
            rows=FrozenDict(dict(content.rows)),
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


@dataclass(frozen=True, slots=True)
class Restoring:
    """A backup, and options of its restoration."""

    backup: Path
    now: datetime
    progress: Progress
    overwrite: bool
    trust: bool
    key: str = field(repr=False)
    """The key of an encrypted backup; a file that it is restored to gets the same."""

    def to_file(self, target: Path) -> Restored:
        """Restore the backup to a file. Save the replaced file beside it."""
        content, saved = verify(self.backup, self.key), target.with_name(self._name(target.stem))
        if _is_filled(target):
            self._check_overwriting(str(target))
        folders.make_private(target.parent)
        with _errors_naming_file(target), closing(self._lock_or_set_aside(target, saved)) as there:
            untrusted = self._replace(there, target.parent)
        return _restored(target, content, saved if saved.exists() else None, untrusted)

    def to_space(self, target: Engine) -> Restored:
        """Restore the backup to a space on a server. Save the replaced space beside the backup."""
        content, saved = verify(self.backup, self.key), None
        if not is_empty(target):
            self._check_overwriting(target.space)
            saved = self.backup.with_name(self._name(target.space))
            write_verified(target, saved, unseen)
            empty(target)
        with closing(SqliteEngine(f"{self.backup.as_uri()}?immutable=1", key=self.key)) as source:
            copied = copy(source, target, self.progress, trust_permissions=self.trust)
        return _restored(target.space, content, saved, copied.untrusted_permissions)

    def _lock_or_set_aside(self, target: Path, saved: Path) -> apsw.Connection:
        """Lock the file and save a copy; rename a damaged file."""
        try:
            return self._locked(target, saved)
        except CorruptError:
            for suffix in ("", *COMPANIONS):
                if (file := Path(f"{target}{suffix}")).exists():
                    file.rename(f"{saved}{suffix}")
            return self._locked(target, saved)

    def _locked(self, target: Path, saved: Path) -> apsw.Connection:
        with _errors_naming_file(target), ExitStack() as failing:
            there = failing.enter_context(closing(open_locked(target, self.key)))
            if _is_filled(target):  # a program may have made it since the first look
                self._check_overwriting(str(target))
                if saved.exists():  # it was set aside, and a program made a new one
                    raise _busy(target)
                save_verified(there, saved, self.key)
            failing.pop_all()
        return there

    def _replace(self, there: apsw.Connection, folder: Path) -> int:
        """Replace the file; return the number of untrusted permissions.

        Unless the backup is trusted, a copy of it is marked first: at no moment does the file have
        unmarked permissions.
        """
        with ExitStack() as stack:
            source = stack.enter_context(closing(open_frozen(self.backup, self.key)))
            if not self.trust:
                room = stack.enter_context(TemporaryDirectory(dir=folder, prefix=".restore-"))
                marked = stack.enter_context(closing(open_alone(Path(room, "m.db"), self.key)))
                copy_pages(source, marked, unseen)
                mark_untrusted(marked)
                source = marked
            copy_pages(source, there, self.progress)
        return untrusted_in(there)

    def _check_overwriting(self, target: str) -> None:
        if not self.overwrite:
            raise ConflictError(
                f"{target} already has a memory; nothing was restored",
                remedy="name another target, or overwrite it: it is saved first",
            )

    def _name(self, name: str) -> str:
        return backup_name(f"{name}.before-restore", self.now)


def _restored(target: Path | str, content: Content, saved: Path | None, untrusted: int) -> Restored:
    rows, before = sum(content.rows.values()), None if saved is None else str(saved)
    return Restored(target=str(target), rows=rows, saved=before, untrusted_permissions=untrusted)


def _is_filled(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


@contextmanager
def _errors_naming_file(target: Path) -> Iterator[None]:
    try:
        yield
    except apsw.BusyError:
        raise _busy(target) from None
    except apsw.Error as error:
        raise translate(error, str(target)) from error


def _busy(target: Path) -> BusyError:
    return BusyError(f"another program has {target} open", remedy="stop it, and restore again")
