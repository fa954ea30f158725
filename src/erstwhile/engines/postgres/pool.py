"""A pool of connections. The most recently used one comes first: its statements are prepared.

It has no threads, so a fork or the end of the program has nothing to stop.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from erstwhile.core.errors import BusyError
from erstwhile.engines.postgres.session import PostgresSession


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
            session = self._take()
            try:
                yield session
            finally:
                self._put_back(session)
        finally:
            self._places.release()

    def clear(self) -> None:
        """Close the idle connections."""
        while self._idle:
            self._idle.pop().connection.close()

    def _take(self) -> PostgresSession:
        try:
            return self._idle.pop()
        except IndexError:
            return self._connect()

    def _put_back(self, session: PostgresSession) -> None:
        if session.sound:
            self._idle.append(session)
        else:
            session.connection.close()
