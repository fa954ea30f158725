"""PostgreSQL: a pool of connections, short transactions, and a turn for whoever changes a scope.

A read is one snapshot. A write waits for its turn: those who change one scope come one after
another, those of different scopes at the same time. A connection that breaks is replaced, and what
was under way is done again, for nothing of it was stored; only when a commit itself went unanswered
does the server have to be asked what became of it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar, TypeVarTuple

import psycopg

from erstwhile.core.background import Stage
from erstwhile.core.errors import ClosedError, ErstwhileError, UncertainError
from erstwhile.core.fork_safety import ForkGuard
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Session
from erstwhile.engines.migrations import available
from erstwhile.engines.postgres.connection import (
    SCHEMA,
    Connection,
    address,
    check_server,
    connect,
    lost,
    migrate,
    passing,
    translate,
)
from erstwhile.engines.postgres.distribution import has_citus
from erstwhile.engines.postgres.listener import CHANNEL, Listener
from erstwhile.engines.postgres.pool import Pool
from erstwhile.engines.postgres.session import PostgresSession, Surroundings
from erstwhile.engines.postgres.vectors import enable_vectors

Result = TypeVar("Result")
Given = TypeVarTuple("Given")

ROLE = "erstwhile_app"
_ANNOUNCED_EVERY = 0.1
"""Seconds; less than a worker waits before it begins, so that one announcement covers them all."""
_TABLES = """SELECT c.oid::regclass::text FROM pg_class AS c
  WHERE c.relnamespace = 'erstwhile'::regnamespace AND c.relkind = 'r'"""


class PostgresEngine:
    """One space of a PostgreSQL database."""

    dialect = "postgres"

    def __init__(
        self,
        url: str,
        *,
        space: str = "main",
        connections: int = 16,
        busy_timeout: float = 10.0,
        statement_timeout: float = 60.0,
    ) -> None:
        self.space = space
        self._place = address(url, busy_timeout)
        self._patience = busy_timeout
        self._here = Surroundings(space, SCHEMA, "none", busy_timeout, statement_timeout)
        self._pool = Pool(self._connect, limit=connections, patience=busy_timeout)
        self._closed = False
        self._listening: tuple[Callable[[], None], Stage] | None = None
        self._listener: Listener | None = None
        self._announced = 0.0
        self._guard = ForkGuard(private=False, close=self._disconnect)
        with self._guarded():
            self._prepare()

    def read(self, work: Callable[[Session], Result], *, settled: bool = False) -> Result:
        with self._guarded():
            return self._persistently(self._read, work, settled)

    def write(self, work: Callable[[Session], Result]) -> Result:
        with self._guarded():
            return self._persistently(self._write, work)

    def compact(self) -> None:
        """Nothing that was deleted can be read again; its bytes go when the server re-uses them."""
        with self._guarded():
            self._persistently(self._vacuum)

    def size(self) -> int:
        relations = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' "
        ours = relations + f"AND relnamespace = '{SCHEMA}'::regnamespace"
        return int(self.read(lambda session: session.rows(ours, {})[0][0]))

    def schema(self) -> int:
        newest = "SELECT MAX(number) FROM migrations"
        return int(self.read(lambda session: session.rows(newest, {})[0][0]))

    def listen(self, wake: Callable[[], None], stage: Stage) -> None:
        self._listening = wake, stage
        with self._guarded():
            self._start_listening()

    def announce(self) -> None:
        """Not with the change itself: a notice in a transaction makes all commits wait in line."""
        if time.monotonic() - self._announced < _ANNOUNCED_EVERY:
            return
        self._announced = time.monotonic()
        try:
            with self._guard, self._pool.session() as session:
                notice = "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)"
                session.connection.execute(notice, [CHANNEL, self.space])
        except (psycopg.Error, ErstwhileError) as error:
            # Other processes look for changes by themselves, too.
            log_failure(__name__, "a change was not announced", error=error)

    def close(self) -> None:
        self._closed = True
        self._guard.close()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Hold up forks, and raise errors of the driver as our own."""
        with self._guard:
            try:
                yield
            except psycopg.Error as error:
                raise translate(error) from error

    def _persistently(self, work: Callable[[*Given], Result], *given: *Given) -> Result:
        """Try again while the failure may pass, for as long as waiting is allowed."""
        deadline = time.monotonic() + self._patience
        while True:
            try:
                return work(*given)
            except psycopg.Error as error:
                if time.monotonic() > deadline or not (lost(error) or passing(error)):
                    raise
                if lost(error):
                    log_failure(__name__, "the connection was lost; it is tried again", error=error)
                    self._pool.clear()
            _pause()

    def _read(self, work: Callable[[Session], Result], settled: bool) -> Result:
        self._start_listening()
        with self._pool.session() as session:
            if settled:
                session.wait_for_changes()
            return session.look(work)

    def _write(self, work: Callable[[Session], Result]) -> Result:
        done: list[Result] = []

        def kept(session: Session) -> Result:
            done[:] = [work(session)]
            return done[0]

        with self._pool.session() as session:
            try:
                return session.change(kept)
            except psycopg.Error as error:
                if session.committing is None or not lost(error):
                    raise
                cut_off = error
        if not self._was_committed(session):
            raise cut_off
        return done[0]

    def _was_committed(self, cut_off: PostgresSession) -> bool:
        """What became of a commit that went unanswered; the server may still be working on it."""
        self._pool.clear()
        deadline = time.monotonic() + self._patience
        while (became := self._persistently(self._became_of, cut_off)) == "in progress":
            if time.monotonic() > deadline:
                break
            _pause()
        if became not in ("committed", "aborted"):
            raise UncertainError(
                "the connection broke while the change was being stored",
                remedy="look whether it is there before you make it again",
            )
        return became == "committed"

    def _became_of(self, cut_off: PostgresSession) -> object:
        """As the server says; another that took over may never have heard of it."""
        with self._pool.session() as session:
            if session.timeline is None or session.timeline != cut_off.timeline:
                return None
            asked = "SELECT pg_xact_status($1::text::xid8)"
            return session.connection.execute(asked, [cut_off.committing]).fetchall()[0][0]

    def _connect(self) -> PostgresSession:
        if self._closed:
            raise ClosedError("this memory was closed", remedy="open it again")
        return PostgresSession(connect(self._place), self._here)

    def _prepare(self) -> None:
        with connect(self._place) as connection:
            check_server(connection)
            migrate(connection, available(self.dialect))
            enable_vectors(connection)
            self._here = replace(
                self._here, role=_role(connection), distributed=has_citus(connection)
            )

    def _vacuum(self) -> None:
        with self._pool.session() as session:
            tables = [str(name) for (name,) in session.connection.execute(_TABLES)]
            session.connection.execute(f"VACUUM (TRUNCATE false) {', '.join(tables)}")

    def _start_listening(self) -> None:
        if self._listening is not None and self._listener is None and not self._closed:
            self._listener = Listener(self._place, self.space, *self._listening)

    def _disconnect(self) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.stop()
        self._pool.clear()


def _pause() -> None:
    time.sleep(random.uniform(0.001, 0.05))


def _role(connection: Connection) -> str:
    """The role that owns nothing, if this login may take it."""
    try:
        with connection.transaction():
            connection.execute(f"SET LOCAL ROLE {ROLE}")
    except psycopg.DatabaseError:
        return "none"
    return ROLE
