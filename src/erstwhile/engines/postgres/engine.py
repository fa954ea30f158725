"""The PostgreSQL engine: a pool of connections, short transactions, and a lock per scope.

A read is one snapshot. Writes to one scope run one after another, writes to different scopes in
parallel. A broken connection is replaced and its transaction run again, since nothing of it was
stored. If the answer to a commit is missing, the server is asked for what the commit itself wrote.

A listener needs a connection of its own for notifications (LISTEN). If that is not possible, such
as behind a pooler, the background threads find new work by polling a few seconds later. A
notification says nothing: each space has a channel with a random name.
"""

from __future__ import annotations

import random
import select
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from operator import methodcaller
from threading import Event, Thread
from typing import TypeVar, TypeVarTuple

import psycopg

from erstwhile.core.background import JobHealth
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
    enable_vectors,
    has_citus,
    is_pooled,
    lost,
    migrate,
    passing,
    translate,
    values,
)
from erstwhile.engines.postgres.session import Pool, PostgresSession, TransactionSettings

Result = TypeVar("Result")
Given = TypeVarTuple("Given")

ROLE = "erstwhile_app"
_PATH = f"{SCHEMA}, pg_temp"
"""Temporary tables come last: behind a pooler, another client may have left some."""
_ANNOUNCED_EVERY = 0.1
"""Seconds between announcements, so that one announcement covers several changes."""
_TABLES = """SELECT c.oid::regclass::text FROM pg_class AS c
  WHERE c.relnamespace = 'erstwhile'::regnamespace AND c.relkind = 'r'"""

_OWN_TABLES = f"{_TABLES} AND pg_has_role(c.relowner, 'USAGE')"


class PostgresEngine:
    """One space of a PostgreSQL database."""

    dialect = "postgres"
    read_only = False

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
        self._settings = TransactionSettings(space, _PATH, "none", busy_timeout, statement_timeout)
        self._pool = Pool(self._connect, limit=connections, patience=busy_timeout)
        self._closed = False
        self._pooled = False
        self._listening: JobHealth | None = None
        self._to_wake: list[Callable[[], None]] = []
        self._listener: Listener | None = None
        self._announced = 0.0
        self._channel = ""
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
        """Make deleted rows unreadable. The server reuses their bytes later."""

        def vacuum(session: PostgresSession) -> None:
            tables = map(str, values(session.connection, _TABLES))
            session.connection.execute(f"VACUUM (TRUNCATE false) {', '.join(tables)}")

        self._with_session(vacuum)

    def forget_clients(self) -> int:
        """Remove the numbers of connections that nobody asks for any more; return how many.

        Maintenance calls it. Without it each new connection removes a few, so none pile up.
        """
        total = 0
        while removed := self._with_session(PostgresSession.forget_clients):
            total += removed
        return total

    def tidy(self) -> Mapping[str, tuple[int, str]]:
        """Measure the tables, and forget old connections. The server tends space and log itself."""

        def analyse(session: PostgresSession) -> int:
            # Only the tables that this login owns. The server measures them, too, but later.
            tables = [str(name) for name in values(session.connection, _OWN_TABLES)]
            if tables:
                session.connection.execute(f"ANALYZE {', '.join(tables)}")
            return len(tables)

        return {
            "connections": (self.forget_clients(), "forgotten"),
            "statistics": (self._with_session(analyse), "tables measured"),
        }

    def size(self) -> int:
        return self._with_session(PostgresSession.size)

    def schema(self) -> int:
        newest = "SELECT MAX(number) FROM migrations"
        return int(self.read(lambda session: session.rows(newest, {})[0][0]))

    def listen(self, wake: Callable[[], None], stage: JobHealth) -> None:
        self._listening = stage
        self._to_wake.append(wake)
        with self._guarded():
            self._start_listening()

    def announce(self) -> None:
        """Announce a change after the commit: NOTIFY inside a transaction blocks other commits."""
        if time.monotonic() - self._announced < _ANNOUNCED_EVERY:
            return
        self._announced = time.monotonic()
        try:
            with self._guard, self._pool.session() as session:
                self._channel = self._channel or session.channel()
                notice = "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, '')"
                session.connection.execute(notice, [self._channel])
        except (psycopg.Error, ErstwhileError) as error:
            # This is no loss: other processes also poll for changes.
            log_failure(__name__, "a change was not announced", error=error)

    def close(self) -> None:
        self._closed = True
        self._guard.close()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Block forks meanwhile, and raise driver errors as ErstwhileErrors."""
        with self._guard:
            try:
                yield
            except psycopg.Error as error:
                raise translate(error) from error

    def _with_session(self, work: Callable[[PostgresSession], Result]) -> Result:
        with self._guarded():
            return self._persistently(self._run, work)

    def _run(self, work: Callable[[PostgresSession], Result]) -> Result:
        with self._pool.session() as session:
            return work(session)

    def _persistently(self, work: Callable[[*Given], Result], *given: *Given) -> Result:
        """Retry temporary failures until the timeout."""
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
            time.sleep(random.uniform(0.001, 0.05))

    def _read(self, work: Callable[[Session], Result], settled: bool) -> Result:
        self._start_listening()
        with self._pool.session() as session:
            if settled:
                session.wait_for_changes()
            return session.read_snapshot(work)

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
        """Return whether a commit without an answer succeeded. Wait if it is still running."""
        self._pool.clear()
        try:
            ask = methodcaller("last_change_of", cut_off.client)
            return bool(self._persistently(self._run, ask) == cut_off.committing)
        except (psycopg.Error, ErstwhileError) as error:
            raise UncertainError(
                "the connection broke while the change was being stored",
                remedy="check whether it is stored before you repeat it",
            ) from error

    def _connect(self) -> PostgresSession:
        if self._closed:
            raise ClosedError("this memory was closed", remedy="open it again")
        connection = connect(self._place, prepare=not self._pooled)
        try:
            if not has_citus(connection):
                return PostgresSession(connection, self._settings)
            # Imported here: only a cluster needs it.
            from erstwhile.engines.postgres.citus.pipeline import open_session

            return open_session(connection, self._settings, pooled=self._pooled)
        except BaseException:
            connection.close()
            raise

    def _prepare(self) -> None:
        with connect(self._place) as connection:
            check_server(connection)
            self._pooled = is_pooled(connection)
            migrate(connection, available(self.dialect))
            enable_vectors(connection)
            self._settings = replace(self._settings, role=_role(connection))

    def _start_listening(self) -> None:
        if self._listening is None or self._pooled:  # behind a pooler, others are polled
            return
        if self._listener is None and not self._closed:
            self._listener = Listener(self._connect, self._to_wake, self._listening)

    def _disconnect(self) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.stop()
        self._pool.clear()


def _role(connection: Connection) -> str:
    """Return the role without ownership, if this login may use it."""
    try:
        with connection.transaction():
            connection.execute(f"SET LOCAL ROLE {ROLE}")
    except psycopg.DatabaseError:
        return "none"
    return ROLE


_DELAY = 1.0
"""Seconds before it connects: a program that ends sooner needs no listener."""


class Listener:
    """Calls functions whenever a change is announced in a space, until it is stopped."""

    def __init__(
        self,
        connect: Callable[[], PostgresSession],
        to_wake: Sequence[Callable[[], None]],
        stage: JobHealth,
    ) -> None:
        self._connect = connect
        self._to_wake = to_wake
        self._stage = stage
        self._stop, self._stopped = socket.socketpair()
        self.listening = Event()
        """Set once the server has confirmed LISTEN."""
        self._thread = Thread(target=self._run, name="erstwhile-listening", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop, and wait at most a second. A thread that is connecting ends after this attempt."""
        self._stop.close()
        self._thread.join(timeout=1.0)

    def _run(self) -> None:
        delay = _DELAY
        with self._stopped:
            while not self._wait(delay):
                try:
                    session = self._connect()
                    with session.connection:
                        self._listen(session)
                    return
                except Exception as error:  # such as a server that restarts
                    delay = self._stage.failed(error)

    def _listen(self, session: PostgresSession) -> None:
        connection = session.connection
        connection.execute(f"LISTEN {session.channel()}")
        self.listening.set()
        self._wake()  # wake once for changes before LISTEN
        self._stage.succeeded()
        while not self._wait(None, connection):
            connection.pgconn.consume_input()
            if list(iter(connection.pgconn.notifies, None)):
                self._wake()

    def _wake(self) -> None:
        for wake in self._to_wake:
            wake()

    def _wait(self, seconds: float | None, connection: Connection | None = None) -> bool:
        """Wait for some seconds or for a notification; return whether the listener was stopped."""
        stopped = self._stopped.fileno()
        watched = [stopped] if connection is None else [stopped, connection.fileno()]
        ready, _, _ = select.select(watched, [], [], seconds)
        return stopped in ready
