"""Restore a backup, after saving the memory it replaces.

A memory that another program has open is not replaced: the program would go on with what it holds
in memory. The file is locked from before it is saved until it is replaced, so that no write between
gets lost. A damaged file is set aside, and stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw

from erstwhile.core.arguments import unseen
from erstwhile.core.errors import BusyError, ConflictError, CorruptError
from erstwhile.core.ports import Engine
from erstwhile.engines.sqlite import location as folders
from erstwhile.engines.sqlite.connection import translate
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.engines.sqlite.pages import copy_pages, open_alone, open_frozen, open_locked
from erstwhile.operations.backup import Content, backup_name, save_verified, verify, write_verified
from erstwhile.operations.copy import copy, empty, is_empty, mark_untrusted, untrusted_in
from erstwhile.operations.results import Progress, Restored

_COMPANIONS = ("-wal", "-shm", "-journal")


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
            for suffix in ("", *_COMPANIONS):
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
                f"{target} has a memory already, and nothing was restored",
                remedy="name another target, or allow it to be overwritten: it is saved first",
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
