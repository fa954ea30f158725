"""Environments of the peers, made by uv."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Mapping
from importlib.metadata import distributions
from pathlib import Path
from typing import NamedTuple

from bench.compare.process import CHECKOUT, WorkError, python

_EXTENSIONS = "import sqlite3; sqlite3.Connection.enable_load_extension"


class Peer(NamedTuple):
    """What is compared, as `peers.toml` tells it."""

    title: str
    packages: list[str]
    module: str
    says: str


class Installed(NamedTuple):
    """What an environment has: of the peer alone, without what the measurement needs."""

    version: str
    packages: int
    mib: float


def peers() -> Mapping[str, Peer]:
    told = tomllib.loads(Path(__file__).with_name("peers.toml").read_text("utf-8"))
    return {name: Peer(**each) for name, each in told.items()}


def interpreter() -> str:
    """Return a Python whose sqlite3 loads extensions, because two peers need that."""
    for candidate in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        if not subprocess.run([candidate, "-c", _EXTENSIONS], capture_output=True).returncode:
            return candidate
    return sys.executable


def install(name: str, peer: Peer) -> Installed:
    """Make the environment anew, and measure it before numpy is added for the vectors."""
    folder = python(name).parents[1]
    _uv("venv", "--clear", "--python", interpreter(), str(folder))
    if peer.packages:
        _uv("pip", "install", "--python", str(python(name)), *peer.packages)
    library = next((folder / "lib").glob("python*/site-packages"))
    found = {each.metadata["Name"]: each.version for each in distributions(path=[str(library)])}
    size = sum(each.stat().st_size for each in library.rglob("*") if each.is_file())
    _uv("pip", "install", "--python", str(python(name)), "numpy")
    main = peer.packages[0] if peer.packages else ""
    version = found.get("erstwhile" if main == "." else main) or _sqlite_version(python(name))
    return Installed(version, len(found), size / 2**20)


def _sqlite_version(interpreter: Path) -> str:
    code = "import sqlite3; print(sqlite3.sqlite_version)"
    done = subprocess.run([interpreter, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _uv(*words: str) -> None:
    line = [sys.executable, "-m", "uv", "--quiet", *words]
    try:
        done = subprocess.run(line, cwd=CHECKOUT, capture_output=True, text=True, timeout=420)
    except subprocess.TimeoutExpired:
        raise WorkError("uv was not done in seven minutes") from None
    if done.returncode:
        raise WorkError(f"uv could not install it: {done.stderr.strip()[-200:]}")
