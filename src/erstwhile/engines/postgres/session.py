"""Statements and transactions on one PostgreSQL connection.

A transaction runs in pipeline mode: statements are sent without waiting, and whoever asks for rows
gets the answers to all of them. A failure shows at the next answer, at the latest at the commit.
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

# None of our statements reads much, and what it reads lies in memory or on a disk that does not
# turn. Left to its default, the server takes single rows for dear and reads whole tables instead.
# A plan is made once for all spaces: made for one that the statistics do not know, it takes it for
# empty and walks through all of it.
_SETTINGS = """SELECT set_config('erstwhile.space', $1, true), set_config('search_path', $2, true),
  set_config('role', $3, true), set_config('random_page_cost', '1.1', true),
  set_config('plan_cache_mode', 'force_generic_plan', true),
  set_config('lock_timeout', $4, true),
  set_config('statement_timeout', $5, true),
  set_config('idle_in_transaction_session_timeout', $5, true)"""
_SHARE_SPACE = "SELECT pg_advisory_xact_lock_shared($1), pg_advisory_xact_lock($2)"
_TAKE_SPACE = "SELECT pg_advisory_xact_lock($1)"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What each transaction sets for itself, and leaves to nobody."""

    space: str
    path: str
    role: str
    patience: float
    longest: float
    distributed: bool = False
    """Whether other servers take part, which must be told the space as well."""

    @property
    def settings(self) -> list[str]:
        waits = [str(round(seconds * 1000)) for seconds in (self.patience, self.longest)]
        return [self.space, self.path, self.role, *waits]

    def turn(self, scope: Sequence[str] | None) -> tuple[str, list[int]]:
        """The locks that a change of this scope, or of the whole space, waits for."""
        if scope is None:
            return _TAKE_SPACE, [_lock(self.space)]
        return _SHARE_SPACE, [_lock(self.space), _lock(self.space, *scope)]


class PostgresSession:
    def __init__(self, connection: Connection, surroundings: Surroundings) -> None:
        self.connection = connection
        self.timeline = _timeline(connection)
        self.committing: str | None = None
        """The number of the transaction whose commit was sent and not answered."""
        self._here = surroundings

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
        self.connection.execute(*self._here.turn(scope))

    def look(self, work: Callable[[Session], Result]) -> Result:
        """Run `work` on one snapshot, and keep nothing of what it may have changed."""

        def seen() -> Result:
            self.connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            self._settle_in()
            result = work(self)
            self.connection.execute("ROLLBACK")
            return result

        return self._piped(seen)

    def change(self, work: Callable[[Session], Result]) -> Result:
        self.committing = None

        def changed() -> Result:
            self.connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
            self._settle_in()
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
        """Return when no change that is under way now is under way any more."""
        with self.connection.transaction():
            self._settle_in()
            self.take_turn(None)

    def _settle_in(self) -> None:
        """Citus hands on what a statement of its own sets, and not what a function sets."""
        self.connection.execute(_SETTINGS, self._here.settings)
        if self._here.distributed:
            space = sql.Literal(self._here.space).as_string(self.connection)
            self.connection.execute("SET LOCAL citus.propagate_set_commands = 'local'")
            self.connection.execute(f"SET LOCAL erstwhile.space = {space}".encode())

    @property
    def sound(self) -> bool:
        """Whether somebody else can use the connection."""
        state = self.connection.pgconn
        return (
            state.transaction_status == TransactionStatus.IDLE
            and state.pipeline_status == PipelineStatus.OFF
        )

    def _execute(self, statement: str, params: Params) -> psycopg.Cursor[Row]:
        text, names = numbered(statement)
        return self.connection.execute(text, [params[name] for name in names], binary=True)

    def _piped(self, transaction: Callable[[], Result]) -> Result:
        """The first failure counts: those that follow it only say that it was there."""
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
    """The number of an advisory lock; should two names get the same, they wait for each other."""
    digest = blake2b("\0".join(("erstwhile", *names)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _timeline(connection: Connection) -> Any:
    """Which history of the server's this is: it changes when a replica takes over."""
    try:
        rows = connection.execute("SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)")
        return rows.fetchall()[0][0]
    except psycopg.DatabaseError:  # a replica, or a service that does not tell
        return None
