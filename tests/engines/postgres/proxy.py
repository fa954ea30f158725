"""A proxy to the server that can lose a commit or its answer."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import psycopg

COMMIT = b"COMMIT\0"


class Proxy:
    """Forwards all data. `cut` says what happens to the next commit: nothing, or it is lost before
    it reaches the server ("question"), or its answer is lost ("answer")."""

    def __init__(self, url: str, folder: Path) -> None:
        said = psycopg.conninfo.conninfo_to_dict(url)
        self._server = f"{said['host']}/.s.PGSQL.5432"
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(folder / ".s.PGSQL.5432"))
        self._door.listen()
        self.url = psycopg.conninfo.make_conninfo(url, host=str(folder))
        self.cut = ""
        Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Accept no new connections; open ones stay."""
        with suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._door.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._server)
                for way in (("question", client, server), ("answer", server, client)):
                    Thread(target=self._pass_on, args=way, daemon=True).start()

    def _pass_on(self, cut: str, source: socket.socket, target: socket.socket) -> None:
        """Forward data until one side ends, or until the commit that is to be lost."""
        with suppress(OSError):
            while part := source.recv(65_536):
                if COMMIT in part and self.cut == cut:
                    self.cut = ""
                    break
                target.sendall(part)
        for end in (source, target):  # another thread may be waiting for it: closing is not enough
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        source.close()


@contextmanager
def proxy(url: str, folder: Path) -> Iterator[Proxy]:
    opened = Proxy(url, folder)
    try:
        yield opened
    finally:
        opened.close()
