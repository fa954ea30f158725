"""The SQLite engine: one writer connection, a pool of readers, short transactions.

Every write is `BEGIN IMMEDIATE`: a plain BEGIN that becomes a write later fails under contention.
Threads that write at once share a commit. Each read sees one snapshot.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import apsw

from erstwhile.core.errors import BusyError, ClosedError, ReadOnlyError
from erstwhile.core.fork_safety import ForkGuard
from erstwhile.core.ports import Progress, Session
from erstwhile.engines.migrations import available
from erstwhile.engines.sqlite.connection import (
    SqliteSession,
    check_schema,
    closed_on_failure,
    connect,
    migrate,
    translate,
    translated,
)
from erstwhile.engines.sqlite.group_commit import GroupCommit
from erstwhile.engines.sqlite.location import MEMORY, prepared, read_location
from erstwhile.engines.sqlite.pages import copy_pages, give_back, open_alone, shorten_log

if TYPE_CHECKING:
    from erstwhile.core.background import JobHealth

Result = TypeVar("Result")

SPACE = "main"
_ATTEMPTS = 5
_PAUSE = 0.005
"""Seconds between two steps of a long work: others write meanwhile."""


class SqliteEngine:
    """A store in one SQLite file, or in the memory of this process."""

    dialect = "sqlite"
    space = SPACE

    def __init__(
        self,
        place: str | Path,
        *,
        create: bool = True,
        synchronous: str = "FULL",
        busy_timeout: float = 10.0,
        key: str = "",
    ) -> None:
        named = read_location(place)
        self._location = prepared(replace(named, create=create and named.create, key=key))
        self._path = self._location.path
        self._in_memory = self._path == MEMORY
        self.read_only = self._location.read_only
        self.key = key
        self._synchronous = synchronous
        self._patience = busy_timeout
        self._closed = False
        self._readers: deque[SqliteSession] = deque()
        self._writer: SqliteSession | None = None
        self._commits = GroupCommit(self._open_writer)
        self._guard = ForkGuard(private=self._in_memory, close=self._disconnect)
        with self._guarded():
            if self.read_only:
                self._connect().connection.close()  # raises an error if it is no memory
            else:
                self._open_writer()

    def read(self, work: Callable[[Session], Result], *, settled: bool = False) -> Result:
        if settled and not self.read_only:  # when this write ends, all earlier writes are stored
            self.write(lambda _: None)
        with self._guarded():
            if self._in_memory:
                with self._commits.lock:
                    return self._open_writer().read_snapshot(work)
            if self.read_only and not self._location.immutable:
                return self._look_anew(work)
            try:
                reader = self._readers.pop()
            except IndexError:
                reader = self._connect()
            try:
                reader.begin("DEFERRED")
                return work(reader)
            finally:
                reader.rollback()
                self._readers.append(reader)

    def write(self, work: Callable[[Session], Result]) -> Result:
        self._check_writable()
        with self._guarded():
            return self._commits.submit(work)

    def compact(self) -> None:
        """Rewrite the file, then move the log into it and empty the log."""
        self._check_writable()
        self._tended(lambda connection: connection.execute("VACUUM"))
        busy, _ = self._shorten_log()
        if busy:
            raise BusyError(
                "the rows are deleted, but another process still reads the old file",
                remedy="call it again when the other process has finished",
            )

    def tidy(self) -> Mapping[str, tuple[int, str]]:
        """Give free pages back, and move the log into the file.

        Measure nothing: the statistics of the schema fit every size. Those of a sample would take
        `space` for selective, and a statement would scan a whole table.
        """
        self._check_writable()
        pages = 0
        while freed := self._tended(give_back):
            pages += freed
            time.sleep(_PAUSE)
        _, left = self._shorten_log()
        return {
            "file": (pages, "pages returned"),
            "log": (left, "pages left for readers"),
        }

    def save(
        self, target: Path, describe: Callable[[Session], Result], progress: Progress
    ) -> Result:
        """Copy one snapshot into a new file, while others write; return its description."""

        def save(_: Session) -> Result:
            described = describe(session)  # this read begins the snapshot
            copy_pages(session.connection, copy, progress)
            return described

        with closing(open_alone(target, self._location.key)) as copy, self._guarded():
            session = self._connect()
            with closing(session.connection):
                return session.read_snapshot(save)

    def size(self) -> int:
        if self._in_memory:
            pages = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            return int(self.read(lambda session: session.rows(pages, {})[0][0]))
        files = (Path(self._path + suffix) for suffix in ("", "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def listen(self, wake: Callable[[], None], stage: JobHealth) -> None:
        """Do nothing: a file announces no changes, so background threads poll."""

    def announce(self) -> None:
        """Do nothing: no process listens to a file."""

    def schema(self) -> int:
        newest = "SELECT MAX(number) FROM migrations"
        return int(self.read(lambda session: session.rows(newest, {})[0][0]))

    def close(self) -> None:
        self._closed = True
        with translated(self._path):
            self._guard.close()

    def _tended(self, work: Callable[[apsw.Connection], Result]) -> Result:
        with self._guarded():
            return self._commits.run_alone(lambda: work(self._open_writer().connection))

    def _shorten_log(self) -> tuple[bool, int]:
        """Move the log into the file; return whether somebody reads it, and the pages left."""
        deadline = time.monotonic() + self._patience
        while True:
            busy, left = self._tended(lambda connection: shorten_log(connection, self._patience))
            if not busy or time.monotonic() > deadline:
                return busy, left
            time.sleep(_PAUSE)

    def _check_writable(self) -> None:
        if self.read_only:
            raise ReadOnlyError(
                f"{self._path} is open for reading only",
                remedy="open it without mode=ro, with the right to write the file and its folder",
            )

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Block forks meanwhile, and raise driver errors as ErstwhileErrors."""
        with self._guard:
            try:
                yield
            except apsw.Error as error:
                raise translate(error, self._path) from error

    def _look_anew(self, work: Callable[[Session], Result]) -> Result:
        """Read with a new connection: a writer has created a log since.

        A file without a log is read without locks. If a writer changed it meanwhile, read again.
        """
        for _ in range(_ATTEMPTS):
            unwritten, before = self._location.is_unwritten, self._location.changed_at
            session = self._connect()
            try:
                result = session.read_snapshot(work)
            except apsw.CorruptError:
                if before == self._location.changed_at:
                    raise
            else:
                if not unwritten or before == self._location.changed_at:
                    return result
            finally:
                session.connection.close()
        raise BusyError("another process keeps changing this memory", remedy="try again")

    def _open_writer(self) -> SqliteSession:
        if self._writer is None:
            session = self._connect()
            with closed_on_failure(session.connection):
                migrate(session.connection, available(self.dialect))
            self._writer = session
        return self._writer

    def _connect(self) -> SqliteSession:
        if self._closed:
            raise ClosedError("this memory was closed", remedy="open it again")
        session = SqliteSession(
            connect(self._location, synchronous=self._synchronous, patience=self._patience)
        )
        if self.read_only:
            with closed_on_failure(session.connection):
                check_schema(session.connection, self._path, available(self.dialect))
        return session

    def _disconnect(self) -> None:
        while self._readers:
            self._readers.pop().connection.close()
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.connection.close()
