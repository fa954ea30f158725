"""Statements and transactions on one PostgreSQL connection.

A transaction runs in pipeline mode: statements are sent without waiting until rows are needed. An
error is raised when the next rows are read, at the latest at the commit.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import psycopg
from psycopg import sql
from psycopg.pq import PipelineStatus, TransactionStatus

from erstwhile.core.errors import BusyError
from erstwhile.core.ports import Params, Row, Session
from erstwhile.engines.postgres.connection import Connection, numbered
from erstwhile.storage.statements import load

if TYPE_CHECKING:
    from erstwhile.engines.postgres.citus.pipeline import ShardPipeline

Result = TypeVar("Result")

_SQL = load("postgres", Path(__file__).parent / "sql")
_CHANNEL = "SELECT name FROM wake_channels WHERE space = $1"
_REMEMBERED = 86_400
"""Seconds after which the last change of a connection is asked for by nobody."""
_FORGOTTEN_BESIDES = 8
"""The old connections that a new one forgets with its first change, should nobody maintain."""
_FORGOTTEN_AT_ONCE = 1_000
_FETCH = "FETCH 1000 FROM each_row"
_CHECK_COUNTERS = "SELECT check_counters()"
_SHARE_SPACE = "SELECT pg_advisory_xact_lock_shared($1), pg_advisory_xact_lock($2)"
_TAKE_SPACE = "SELECT pg_advisory_xact_lock($1)"
FORWARDING = "citus.propagate_set_commands = 'local'"
"""The setting with which Citus forwards SET LOCAL to other servers."""


@dataclass(frozen=True, slots=True)
class TransactionSettings:
    """The settings of each transaction; they end with the transaction."""

    space: str
    path: str
    role: str
    patience: float
    longest: float
    distributed: bool = False
    """Whether the tables are distributed over several servers, which need the space, too."""

    @property
    def values(self) -> list[str]:
        """The parameters of the statement that sets them."""
        waits = [str(round(seconds * 1000)) for seconds in (self.patience, self.longest)]
        plans = "auto" if self.distributed else "force_generic_plan"
        return [self.space, self.path, self.role, *waits, plans]

    def turn(self, scope: Sequence[str] | None) -> tuple[str, list[int]]:
        """Return the statement that locks a scope, or with None the whole space."""
        if scope is None:
            return _TAKE_SPACE, [_lock(self.space)]
        return _SHARE_SPACE, [_lock(self.space), _lock(self.space, *scope)]


class PostgresSession:
    """Statements and transactions on one connection."""

    def __init__(
        self,
        connection: Connection,
        settings: TransactionSettings,
        pipeline: ShardPipeline | None = None,
    ) -> None:
        self.connection = connection
        self.client = uuid4().hex
        self.committing: int | None = None
        """The number of the change whose commit has no answer yet."""
        self._number = 0
        self._settings = settings
        self._shard_pipeline = pipeline
        self._has_failed = False

    def rows(self, statement: str, params: Params) -> list[Row]:
        return self.prefetch(statement, params)()

    def each(self, statement: str, params: Params) -> Iterator[Row]:
        if self._shard_pipeline:  # a cursor cannot be declared on another server
            yield from self.rows(statement, params)
            return
        self._execute(f"DECLARE each_row NO SCROLL CURSOR FOR {statement}", params)
        while rows := self._execute(_FETCH, {}).fetchall():
            yield from rows
        self._execute("CLOSE each_row", {})

    def prefetch(self, statement: str, params: Params) -> Callable[[], list[Row]]:
        if self._shard_pipeline is None:
            return self._execute(statement, params).fetchall
        return self._shard_pipeline.read(*_with_values(statement, params))

    def run(self, statement: str, params: Params) -> int:
        cursor = self._execute(statement, params)
        self._pipeline.sync()
        return cursor.rowcount

    def run_many(self, statement: str, many: Sequence[Params]) -> None:
        for params in many:
            self._execute(statement, params)

    def execute_async(self, statement: str, params: Params) -> None:
        if not (
            self._shard_pipeline
            and self._shard_pipeline.changes.defer(*_with_values(statement, params))
        ):
            self._execute(statement, params)

    def lock_scope(self, scope: Sequence[str] | None) -> None:
        self.connection.execute(*self._settings.turn(scope))
        if self._shard_pipeline:
            self._shard_pipeline.changes.draw()

    def read_snapshot(self, work: Callable[[Session], Result]) -> Result:
        """Run `work` on one snapshot, and roll back."""

        def seen() -> Result:
            self.connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            self._apply_settings()
            result = work(self)
            self._flush()
            self.connection.execute("ROLLBACK")
            return result

        return self._piped(seen)

    def change(self, work: Callable[[Session], Result]) -> Result:
        """Run `work` in a transaction, and commit it."""
        self.committing = None

        def changed() -> Result:
            self.connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
            self._apply_settings()
            numbered = self._number_change()
            result = work(self)
            self._flush()
            numbered.fetchall()  # the server has the number before it gets the commit
            self.committing = self._number
            self.connection.execute("COMMIT")
            return result

        result = self._piped(changed)
        self.committing = None
        return result

    def last_change_of(self, client: str) -> int:
        """Return the number of the last stored change of a connection, when it has ended."""
        with self.connection.transaction():
            self._apply_settings()
            values = [self._settings.space, client, int(time.time())]
            [(number,)] = self.connection.execute(_SQL["last_number",], values).fetchall()
        return int(str(number))

    def forget_clients(self) -> int:
        """Remove numbers of connections that nobody asks for any more; return how many."""
        values = [self._settings.space, int(time.time()) - _REMEMBERED, _FORGOTTEN_AT_ONCE]
        with self.connection.transaction():
            self._apply_settings()
            return self.connection.execute(_SQL["forget_clients",], values).rowcount

    def channel(self) -> str:
        """Return the name of the channel on which this space announces its changes."""
        space = self._settings.space
        with self.connection.transaction():
            self._apply_settings()
            self.connection.execute(_SQL["add_channel",], [space, f"erstwhile_{uuid4().hex}"])
            [(name,)] = self.connection.execute(_CHANNEL, [space]).fetchall()
        return str(name)

    def _number_change(self) -> psycopg.Cursor[Row]:
        """Store the number of this change in its own transaction."""
        space, now = self._settings.space, int(time.time())
        if self._number == 0:
            self.connection.execute(
                _SQL["forget_clients",], [space, now - _REMEMBERED, _FORGOTTEN_BESIDES]
            )
        if self._settings.distributed and self._shard_pipeline is None:
            self.connection.execute(_CHECK_COUNTERS)
        self._number += 1
        return self.connection.execute(
            _SQL["number_change",], [space, self.client, self._number, now]
        )

    def size(self) -> int:
        """Return the bytes of all tables, on all servers."""
        asked = _SQL["size_on_all_servers",] if self._settings.distributed else _SQL["size",]
        return self.read_snapshot(lambda session: int(session.rows(asked, {})[0][0]))

    def wait_for_changes(self) -> None:
        """Wait until all transactions that change data now have ended."""
        with self.connection.transaction():
            self._apply_settings()
            self.connection.execute(*self._settings.turn(None))

    def _apply_settings(self) -> None:
        """Set the settings. Citus forwards SET to other servers, but not set_config."""
        if self._settings.distributed:
            space = sql.Literal(self._settings.space).as_string(self.connection)
            if self._shard_pipeline is None:
                self.connection.execute(f"SET LOCAL {FORWARDING}")
            self.connection.execute(f"SET LOCAL erstwhile.space = {space}".encode())
            self.connection.execute("SET LOCAL plan_cache_mode = 'force_generic_plan'")
            self.connection.execute("SET LOCAL random_page_cost = 1.1")
        self.connection.execute(_SQL["set_settings",], self._settings.values)

    @property
    def sound(self) -> bool:
        """Whether the connection can be used again.

        After an error the server skips the rest of the pipeline. The driver then believes that it
        prepared statements which the server does not know.
        """
        state = self.connection.pgconn
        return (
            not self._has_failed
            and state.transaction_status == TransactionStatus.IDLE
            and state.pipeline_status == PipelineStatus.OFF
        )

    def _execute(self, statement: str, params: Params) -> psycopg.Cursor[Row]:
        self._flush()
        return self.connection.execute(*_with_values(statement, params), binary=True)

    def _flush(self) -> None:
        """Send the waiting statements together."""
        if self._shard_pipeline:
            self._shard_pipeline.flush()

    def _piped(self, transaction: Callable[[], Result]) -> Result:
        """Run a transaction in pipeline mode. Raise the first failure, the cause of later ones."""
        failures: list[BaseException] = []
        if self._shard_pipeline:
            self._shard_pipeline.begin()
        try:
            with self.connection.pipeline() as self._pipeline:
                try:
                    return transaction()
                except BaseException as error:
                    failures.append(error)
        except psycopg.Error as error:
            failures.append(error)
        self._has_failed = any(isinstance(each, psycopg.Error) for each in failures)
        if self.connection.pgconn.transaction_status in _OPEN:
            self.connection.execute("ROLLBACK")
        raise failures[0]


def _with_values(statement: str, params: Params) -> tuple[str, list[Any]]:
    text, names = numbered(statement)
    return text, [params[name] for name in names]


_OPEN = (TransactionStatus.INTRANS, TransactionStatus.INERROR)


def _lock(*names: str) -> int:
    """Return the number of an advisory lock. Names with equal numbers share a lock."""
    digest = blake2b("\0".join(("erstwhile", *names)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


class Pool:
    """A limited number of connections, opened on demand."""

    def __init__(
        self, connect: Callable[[], PostgresSession], *, limit: int, patience: float
    ) -> None:
        self._connect = connect
        self._limit = limit
        self._patience = patience
        self._places = BoundedSemaphore(limit)
        self._idle: deque[PostgresSession] = deque()

    @contextmanager
    def session(self) -> Iterator[PostgresSession]:
        """Lend a connection for one transaction. Close it afterwards if it is broken."""
        if not self._places.acquire(timeout=self._patience):
            raise BusyError(
                f"all {self._limit} connections are in use",
                remedy="try again, or allow more with the setting connections",
            )
        try:
            try:
                session = self._idle.pop()
            except IndexError:
                session = self._connect()
            try:
                yield session
            finally:
                if session.sound:
                    self._idle.append(session)
                else:
                    session.connection.close()
        finally:
            self._places.release()

    def clear(self) -> None:
        """Close the idle connections."""
        while self._idle:
            self._idle.pop().connection.close()
