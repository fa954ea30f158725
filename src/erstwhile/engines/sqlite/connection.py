"""SQLite connections: the file, the pragmas, the schema, the errors.

The rules, each with its reason:
- WAL, so that readers and the writer do not wait for each other.
- synchronous=FULL, so that power loss never undoes an acknowledged write. NORMAL is an option: it
  is faster and may lose the last commits, but never corrupts.
- The wait for another process is bounded and random: SQLite's own back-off starves some waiters.
- secure_delete, so that deleted rows are overwritten.
- cell_size_check, so that more damage is noticed when a page is read.
- auto_vacuum=INCREMENTAL, so that maintenance can give free pages back in short steps.
- Plans do not depend on bound values (QPSG). Otherwise SQLite compiles some statements again for
  every call, which costs more than running them.
- Pages of 1 KB. A commit writes whole pages to the log, some thirty for a new fact: pages of 2 KB
  would be half as many bytes again, in the same time.
- A page cache of 32 MB. A large batch in a large memory changes pages all over the file. With the
  default of 2 MB they spill into the log and are written twice.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import apsw

from erstwhile.core.errors import (
    BusyError,
    ConflictError,
    CorruptError,
    ErstwhileError,
    ReadOnlyError,
    StorageError,
)
from erstwhile.core.ports import Params, Row, Session
from erstwhile.core.text import folded
from erstwhile.core.time import to_micros
from erstwhile.engines.migrations import Migration, pending
from erstwhile.engines.sqlite.encryption import replaced_error, unlocked
from erstwhile.engines.sqlite.location import Location

APPLICATION_ID = 0x45525354  # "ERST" marks our files
PAGE = 1024
"""The length in bytes of a page of a new file."""
_CACHED_STATEMENTS = 512
_CACHED_KIB = 32 * 1024
_LOG_LIMIT = 64 * 1024 * 1024
_CHECKPOINT = 2 * 1024 * 1024
"""The length in bytes of the log at which it is written into the file: each time costs syncs."""
_RECORDS = """CREATE TABLE IF NOT EXISTS migrations (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, applied_at INTEGER NOT NULL
) STRICT"""


def connect(location: Location, *, synchronous: str, patience: float) -> apsw.Connection:
    """Open a connection to a file or to memory."""
    place, flags = _opening(location)
    connection = apsw.Connection(place, flags, statementcachesize=_CACHED_STATEMENTS)
    with closed_on_failure(connection):
        connection.set_busy_handler(waiting_up_to(patience))
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        connection.create_scalar_function("folded", _folded, 1, deterministic=True)
        with unlocked(connection, location.path, location.key):
            _check_ownership(connection, location.path)
        if not location.read_only:
            # Only a new file can choose these.
            if connection.execute("PRAGMA page_count").fetchall() == [(0,)]:
                connection.execute(f"PRAGMA page_size={PAGE}; PRAGMA auto_vacuum=INCREMENTAL")
            _switch_to_wal(connection, patience)
        connection.execute(
            f"PRAGMA synchronous={synchronous}; PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON; "
            f"PRAGMA cell_size_check=ON; PRAGMA journal_size_limit={_LOG_LIMIT}; "
            f"PRAGMA cache_size=-{_CACHED_KIB}; PRAGMA wal_autocheckpoint={_CHECKPOINT // PAGE}"
        ).fetchall()  # a statement that returns a row stops the others until it is read
    return connection


@contextmanager
def closed_on_failure(connection: apsw.Connection) -> Iterator[None]:
    """Close the connection after a failure: an open one leaves log files beside the memory."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


def migrate(connection: apsw.Connection, brought: list[Migration]) -> None:
    """Apply pending migrations, one transaction each. Several processes may do it at once."""
    while pending(_applied(connection), brought):
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have applied it before this one got the lock.
            for migration in pending(_applied(connection), brought)[:1]:
                connection.execute(f"{_RECORDS}; PRAGMA application_id={APPLICATION_ID}")
                connection.execute(migration.sql)
                record = (*migration.record, to_micros(datetime.now(UTC)))
                connection.execute("INSERT INTO migrations VALUES (?, ?, ?, ?)", record)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")


@contextmanager
def translated(path: Path | str) -> Iterator[None]:
    """Raise driver errors as ErstwhileErrors that name a file."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error, str(path)) from error


def translate(error: apsw.Error, path: str) -> ErstwhileError:
    """Return a driver error as an ErstwhileError."""
    if getattr(error, "extendedresult", 0) == apsw.SQLITE_READONLY_DBMOVED:
        return replaced_error(path)
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return BusyError("another process is writing to this memory", remedy="try again")
    if isinstance(error, apsw.CorruptError | apsw.NotADBError):
        return CorruptError(f"{path} is damaged or not a memory ({error})", remedy="restore a copy")
    if isinstance(error, apsw.ConstraintError):
        return ConflictError(f"the change contradicts what is stored ({error})")
    if isinstance(error, apsw.FullError):
        return StorageError("the disk is full", remedy="free some space and try again")
    if isinstance(error, apsw.ReadOnlyError | apsw.CantOpenError | apsw.PermissionsError):
        return StorageError(f"{path} cannot be written ({error})", remedy="check its permissions")
    return StorageError(f"{path}: {error}", remedy="check the disk and the space on it")


def check_schema(connection: apsw.Connection, path: str, brought: list[Migration]) -> None:
    """Raise ReadOnlyError if a memory that is only read has to be migrated first."""
    if pending(_applied(connection), brought):
        raise ReadOnlyError(
            f"{path} is empty, or an earlier version made it, and it is open for reading only",
            remedy="open it once with the right to write",
        )


def _opening(location: Location) -> tuple[str, int]:
    """Return the name and the flags for SQLite.

    A read-only connection to a file with a log needs the companions, and SQLite would create
    missing ones. Without a log, all data is in the file, and nothing else is needed.
    """
    if not location.read_only:
        return location.path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    if location.is_unwritten:
        return location.as_immutable, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return location.path, apsw.SQLITE_OPEN_READONLY


def _check_ownership(connection: apsw.Connection, path: str) -> None:
    """Raise CorruptError if another program made the file."""
    [(mark, tables)] = connection.execute(
        "SELECT application_id, (SELECT COUNT(*) FROM sqlite_master) FROM pragma_application_id"
    ).fetchall()
    if mark != APPLICATION_ID and (mark or tables):
        raise CorruptError(
            f"{path} is a SQLite file of another program", remedy="choose another file name"
        )


def _switch_to_wal(connection: apsw.Connection, patience: float) -> None:
    # SQLite does not call the busy handler for this step, so we wait ourselves.
    deadline = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL").fetchall()
            return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.001, 0.01))


def waiting_up_to(patience: float) -> Callable[[int], bool]:
    """Return a busy handler that waits for some seconds."""
    start = 0.0

    def wait(attempt: int) -> bool:
        nonlocal start
        now = time.monotonic()
        start = start if attempt else now
        if now - start >= patience:
            return False
        time.sleep(random.uniform(0.0002, 0.002))
        return True

    return wait


def _folded(*values: apsw.SQLiteValue) -> apsw.SQLiteValue:
    return folded(str(values[0]))


def _applied(connection: apsw.Connection) -> list[tuple[int, str, str]]:
    known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'migrations'").fetchall()
    if not known:
        return []
    listed = connection.execute("SELECT number, name, hash FROM migrations ORDER BY number")
    return [(number, name, digest) for number, name, digest in listed]


Result = TypeVar("Result")


def _damaged() -> CorruptError:
    return CorruptError("a stored text is damaged", remedy="restore a copy")


class SqliteSession:
    """Statements and transactions on one connection."""

    __slots__ = ("_execute", "connection")

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self._execute = connection.cursor().execute

    def rows(self, statement: str, params: Params) -> list[Row]:
        try:
            return self._execute(statement, params).fetchall()
        except UnicodeDecodeError as error:
            raise _damaged() from error

    def each(self, statement: str, params: Params) -> Iterator[Row]:
        try:
            yield from self.connection.cursor().execute(statement, params)
        except UnicodeDecodeError as error:
            raise _damaged() from error

    def prefetch(self, statement: str, params: Params) -> Callable[[], list[Row]]:
        rows = self.rows(statement, params)
        return lambda: rows

    def run(self, statement: str, params: Params) -> int:
        self._execute(statement, params)
        return self.connection.changes()

    def execute_async(self, statement: str, params: Params) -> None:
        self._execute(statement, params)

    def lock_scope(self, scope: Sequence[str] | None) -> None:
        """Do nothing: a writer locks the whole file."""

    def run_many(self, statement: str, many: Sequence[Params]) -> None:
        self.connection.cursor().executemany(statement, many)

    @property
    def open(self) -> bool:
        return self.connection.in_transaction

    def begin(self, how: str = "IMMEDIATE") -> None:
        self._execute(f"BEGIN {how}")

    def commit(self) -> None:
        self._execute("COMMIT")

    def rollback(self) -> None:
        if self.open:
            self._execute("ROLLBACK")

    def read_snapshot(self, work: Callable[[Session], Result]) -> Result:
        """Run `work` on one snapshot, and roll back."""
        try:
            self.begin("DEFERRED")
            return work(self)
        finally:
            self.rollback()

    def savepoint(self, work: Callable[[], object]) -> None:
        self._execute("SAVEPOINT job")
        try:
            work()
        except BaseException:
            if self.open:  # such as a full disk, which ends the whole transaction
                self._execute("ROLLBACK TO job; RELEASE job")
            raise
        self._execute("RELEASE job")
