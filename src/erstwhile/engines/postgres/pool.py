"""Connections that wait to be used again. The last one used is the next: it has the most prepared.

It has no threads of its own, so that a fork or the end of the program finds nothing to stop.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from erstwhile.core.errors import BusyError
from erstwhile.engines.postgres.session import PostgresSession


class Pool:
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
        """A connection for one transaction; it comes back if it is sound, and is closed if not."""
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
        """Close what waits; what is in use is closed or put back by its user."""
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
