"""A real Citus cluster for the tests: a coordinator and two workers on this machine.

CITUS_FOR_TESTS names the programs of a PostgreSQL that has Citus and pgvector.
As a program it runs a command beside a distributed database:
python -m tests.engines.postgres.cluster pytest tests/contracts/test_postgres.py
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg

from erstwhile.core.settings import Settings
from erstwhile.operations import store
from tests.engines.postgres.server import VARIABLE as SERVER
from tests.engines.postgres.server import end_on_termination

VARIABLE = "CITUS_FOR_TESTS"
REASON = f"{VARIABLE} names no PostgreSQL with Citus: see scripts/citus"
OWNER = "keeper"
_USER = "postgres" if os.geteuid() == 0 else None
"""A server does not run as root."""
SHARDS = 32
_STARTED_WITHIN = "300"
"""Seconds. After a crash a server syncs each file of its shards, on a disk that may be busy."""
_SETTINGS = f"""
listen_addresses = '127.0.0.1'
shared_preload_libraries = 'citus'
session_preload_libraries = 'vector'
max_connections = 200
max_locks_per_transaction = 256
citus.shard_count = {SHARDS}
"""
_ROLES = (
    f"CREATE ROLE {OWNER} LOGIN CREATEROLE",
    "CREATE ROLE erstwhile_app LOGIN",
    "CREATE ROLE erstwhile_tenant NOLOGIN",
)
"""They are made after the servers were named: Citus then makes them everywhere."""
_RIGHTS = (
    f"GRANT erstwhile_app TO {OWNER} WITH ADMIN OPTION",
    f"GRANT erstwhile_tenant TO {OWNER} WITH ADMIN OPTION",
)
"""In each database, so that Citus knows there that the roles are everywhere."""


class Node:
    """One server of the cluster."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self._folder = programs, folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._run("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale", "C.UTF-8")
        with (folder / "postgresql.conf").open("a") as file:
            file.write(f"{_SETTINGS}port = {self.port}\nunix_socket_directories = '{folder}'\n")
        self.start()

    def start(self) -> None:
        self._run("pg_ctl", "-w", "-t", _STARTED_WITHIN, "-l", str(self._folder / "log"), "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-w", "-m", "fast", "stop")

    def crash(self) -> None:
        """End all processes at once, without a checkpoint, and wait for that."""
        file = self._folder / "postmaster.pid"
        os.kill(int(file.read_text().split()[0]), signal.SIGQUIT)
        for _ in range(600):
            if not file.exists():
                return
            time.sleep(0.1)
        raise TimeoutError("the server did not end within a minute")

    def url(self, database: str, user: str = "postgres") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def execute(self, database: str, *statements: str) -> None:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def _run(self, program: str, *options: str) -> None:
        command = [str(self._programs / program), "-D", str(self._folder), *options]
        quiet = subprocess.DEVNULL
        home = {**os.environ, "HOME": str(self._folder)}
        subprocess.run(command, check=True, user=_USER, stdout=quiet, cwd="/", env=home)


class Cluster:
    """A coordinator and its workers."""

    def __init__(self, programs: Path, folder: Path, workers: int = 2) -> None:
        self._programs, self._folder = programs, folder
        self.nodes: list[Node] = []
        self._turns = count()
        self._down: list[Node] = []
        self._roles: tuple[str, ...] = _ROLES
        for _ in range(workers + 1):
            self.add_node()

    @property
    def coordinator(self) -> Node:
        return self.nodes[0]

    def add_node(self) -> Node:
        """Start one more server; a database must still be told of it."""
        folder = self._folder / f"node{len(self.nodes)}"
        folder.mkdir(mode=0o700)
        if _USER is not None:
            shutil.chown(folder, _USER)
        node = Node(self._programs, folder)
        self.nodes.append(node)
        return node

    def database(self, name: str) -> str:
        """Create a database on all servers, and return its address for the owner."""
        for node in self.nodes:
            make_database(node, name)
        told = f"SELECT citus_set_coordinator_host('127.0.0.1', {self.coordinator.port})"
        workers = (add_command(node) for node in self.nodes[1:])
        rights = f"GRANT CREATE ON DATABASE {name} TO {OWNER}"
        self.coordinator.execute(name, told, *workers, *self._roles, *_RIGHTS, rights)
        self._roles = ()
        return self.coordinator.url(name, OWNER)

    def crash(self) -> None:
        """Crash one server: each in its turn."""
        node = self.nodes[next(self._turns) % len(self.nodes)]
        node.crash()
        self._down.append(node)

    def start(self) -> None:
        """Start what crashed."""
        while self._down:
            self._down.pop().start()

    def stop(self) -> None:
        for node in self.nodes:
            node.stop()


def make_database(node: Node, name: str) -> None:
    node.execute("postgres", f"CREATE DATABASE {name}")
    node.execute(name, "CREATE EXTENSION citus", "CREATE EXTENSION vector")


def add_command(node: Node) -> str:
    return f"SELECT citus_add_node('127.0.0.1', {node.port})"


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    with tempfile.TemporaryDirectory(prefix="citus-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        cluster = Cluster(Path(os.environ[VARIABLE]), Path(folder))
        try:
            yield cluster
        finally:
            cluster.stop()


def main(*command: str) -> int:
    end_on_termination()
    with running_cluster() as cluster:
        url = cluster.database("memory")
        store.distribute(url, settings=Settings())
        told = {**os.environ, SERVER: url}
        return subprocess.run(command, env=told, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
