"""Statements and transactions on one PostgreSQL connection.

A transaction runs in pipeline mode: statements are sent without waiting until rows are needed. An
error is raised when the next rows are read, at the latest at the commit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeVar

import psycopg
from psycopg import sql
from psycopg.pq import PipelineStatus, TransactionStatus

from erstwhile.core.ports import Params, Row, Session
from erstwhile.engines.postgres.connection import Connection, numbered

Result = TypeVar("Result")

# random_page_cost: our statements read few rows, from memory or a solid-state disk. With the
# default, the server overestimates the cost of single rows and scans whole tables.
# plan_cache_mode: one plan for all spaces. A plan for a space that is newer than the statistics
# takes it for empty and scans all of it.
_SETTINGS = """SELECT set_config('erstwhile.space', $1, true), set_config('search_path', $2, true),
  set_config('role', $3, true), set_config('random_page_cost', '1.1', true),
  set_config('plan_cache_mode', 'force_generic_plan', true),
  set_config('lock_timeout', $4, true),
  set_config('statement_timeout', $5, true),
  set_config('idle_in_transaction_session_timeout', $5, true)"""
_SHARE_SPACE = "SELECT pg_advisory_xact_lock_shared($1), pg_advisory_xact_lock($2)"
_TAKE_SPACE = "SELECT pg_advisory_xact_lock($1)"


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
        return [self.space, self.path, self.role, *waits]

    def turn(self, scope: Sequence[str] | None) -> tuple[str, list[int]]:
        """Return the statement that locks a scope, or with None the whole space."""
        if scope is None:
            return _TAKE_SPACE, [_lock(self.space)]
        return _SHARE_SPACE, [_lock(self.space), _lock(self.space, *scope)]


class PostgresSession:
    """Statements and transactions on one connection."""

    def __init__(self, connection: Connection, settings: TransactionSettings) -> None:
        self.connection = connection
        self.timeline = _timeline(connection)
        self.committing: str | None = None
        """The number of the transaction whose commit has no answer yet."""
        self._settings = settings

    def rows(self, statement: str, params: Params) -> list[Row]:
        return self._execute(statement, params).fetchall()

    def run(self, statement: str, params: Params) -> int:
        cursor = self._execute(statement, params)
        self._pipeline.sync()
        return cursor.rowcount

    def run_many(self, statement: str, many: Sequence[Params]) -> None:
        for params in many:
            self._execute(statement, params)

    def send(self, statement: str, params: Params) -> None:
        self._execute(statement, params)

    def take_turn(self, scope: Sequence[str] | None) -> None:
        self.connection.execute(*self._settings.turn(scope))

    def look(self, work: Callable[[Session], Result]) -> Result:
        """Run `work` on one snapshot, and roll back."""

        def seen() -> Result:
            self.connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            self._apply_settings()
            result = work(self)
            self.connection.execute("ROLLBACK")
            return result

        return self._piped(seen)

    def change(self, work: Callable[[Session], Result]) -> Result:
        """Run `work` in a transaction, and commit it."""
        self.committing = None

        def changed() -> Result:
            self.connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
            self._apply_settings()
            numbers = self.connection.execute("SELECT pg_current_xact_id()::text")
            result = work(self)
            [(number,)] = numbers.fetchall()
            self.committing = str(number)
            self.connection.execute("COMMIT")
            return result

        result = self._piped(changed)
        self.committing = None
        return result

    def wait_for_changes(self) -> None:
        """Wait until all transactions that change data now have ended."""
        with self.connection.transaction():
            self._apply_settings()
            self.take_turn(None)

    def _apply_settings(self) -> None:
        """Set the settings. Citus forwards SET to other servers, but not set_config."""
        self.connection.execute(_SETTINGS, self._settings.values)
        if self._settings.distributed:
            space = sql.Literal(self._settings.space).as_string(self.connection)
            self.connection.execute("SET LOCAL citus.propagate_set_commands = 'local'")
            self.connection.execute(f"SET LOCAL erstwhile.space = {space}".encode())

    @property
    def sound(self) -> bool:
        """Whether the connection can be used again."""
        state = self.connection.pgconn
        return (
            state.transaction_status == TransactionStatus.IDLE
            and state.pipeline_status == PipelineStatus.OFF
        )

    def _execute(self, statement: str, params: Params) -> psycopg.Cursor[Row]:
        text, names = numbered(statement)
        return self.connection.execute(text, [params[name] for name in names], binary=True)

    def _piped(self, transaction: Callable[[], Result]) -> Result:
        """Run a transaction in pipeline mode. Raise the first failure, the cause of later ones."""
        failures: list[BaseException] = []
        try:
            with self.connection.pipeline() as self._pipeline:
                try:
                    return transaction()
                except BaseException as error:
                    failures.append(error)
        except psycopg.Error as error:
            failures.append(error)
        self._roll_back()
        raise failures[0]

    def _roll_back(self) -> None:
        if self.connection.pgconn.transaction_status in _OPEN:
            self.connection.execute("ROLLBACK")


_OPEN = (TransactionStatus.INTRANS, TransactionStatus.INERROR)


def _lock(*names: str) -> int:
    """Return the number of an advisory lock. Names with equal numbers share a lock."""
    digest = blake2b("\0".join(("erstwhile", *names)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _timeline(connection: Connection) -> Any:
    """Return the timeline of the server, which changes when a replica takes over."""
    try:
        rows = connection.execute("SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)")
        return rows.fetchall()[0][0]
    except psycopg.DatabaseError:  # a replica, or a service that hides the timeline
        return None
