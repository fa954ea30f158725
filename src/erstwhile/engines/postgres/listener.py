"""The listener: a thread that gets a notification (LISTEN) when another process stores a change.

It needs a connection of its own. If that is not possible, such as behind a pooler, the background
threads find new work by polling a few seconds later. A notification says nothing: each space has a
channel with a random name.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Callable, Sequence
from threading import Event, Thread

from erstwhile.core.background import JobHealth
from erstwhile.engines.postgres.connection import Connection
from erstwhile.engines.postgres.session import PostgresSession

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
