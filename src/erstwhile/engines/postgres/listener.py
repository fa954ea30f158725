"""Hearing that another process stored something: PostgreSQL's LISTEN, on a thread of its own.

It needs a connection that belongs to nobody else. Where there is none, such as behind a pooler, the
worker finds out by itself a few seconds later.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Callable
from threading import Event, Thread

import psycopg

from erstwhile.engines.postgres.connection import Connection, connect

CHANNEL = "erstwhile"
_DELAY = 1.0
"""Seconds before it connects at all: a program that is done by then needs no listener."""
_RETRY = 5.0


class Listener:
    """Calls `wake` whenever something is announced in a space, until it is stopped."""

    def __init__(self, place: str, space: str, wake: Callable[[], None]) -> None:
        self._place = place
        self._space = space
        self._wake = wake
        self._stop, self._stopped = socket.socketpair()
        self.listening = Event()
        """Set once it has heard that the server knows of it."""
        self._thread = Thread(target=self._run, name="erstwhile-listening", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Not for long: a thread that is trying to connect ends when it has tried."""
        self._stop.close()
        self._thread.join(timeout=1.0)

    def _run(self) -> None:
        with self._stopped:
            self._keep_listening()

    def _keep_listening(self) -> None:
        delay = _DELAY
        while not self._wait(delay):
            try:
                with connect(self._place) as connection:
                    self._listen(connection)
                return
            except psycopg.Error:  # the server restarts, or cannot be had at all
                delay = _RETRY

    def _listen(self, connection: Connection) -> None:
        connection.execute(f"LISTEN {CHANNEL}")
        self.listening.set()
        self._wake()  # for what was stored before we listened
        while not self._wait(None, connection):
            connection.pgconn.consume_input()
            heard = list(iter(connection.pgconn.notifies, None))
            if any(notice.extra == self._space.encode() for notice in heard):
                self._wake()

    def _wait(self, seconds: float | None, connection: Connection | None = None) -> bool:
        """Whether it was told to stop, while it waited for so long or for the connection."""
        stopped = self._stopped.fileno()
        watched = [stopped] if connection is None else [stopped, connection.fileno()]
        ready, _, _ = select.select(watched, [], [], seconds)
        return stopped in ready
