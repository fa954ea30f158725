"""A separate memory for each test, independent of the settings of the developer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

import pytest
from click.testing import CliRunner

from erstwhile.cli.app import app
from erstwhile.engines.sqlite.engine import SqliteEngine
from tests.cli.shell import Ended


class Cli(Protocol):
    def __call__(self, *words: str, typed: bytes | None = None) -> Ended: ...


@pytest.fixture(scope="session")
def empty_memory(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a memory without records."""
    place = tmp_path_factory.mktemp("empty") / "memory.db"
    SqliteEngine(place).close()
    return place.read_bytes()


@pytest.fixture(autouse=True)
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty_memory: bytes) -> Path:
    """Return the file of an empty memory, and set it in the environment."""
    for name in os.environ:
        if name.startswith("ERSTWHILE_"):
            monkeypatch.delenv(name)
    place = tmp_path / "memory.db"
    place.write_bytes(empty_memory)
    monkeypatch.setenv("ERSTWHILE_DB", str(place))
    (tmp_path / "config.toml").touch()
    monkeypatch.setenv("ERSTWHILE_CONFIG", str(tmp_path / "config.toml"))
    return place


@pytest.fixture
def cli() -> Cli:
    """Call the command line in this process, where standard output is no terminal."""

    def call(*words: str, typed: bytes | None = None) -> Ended:
        result = CliRunner().invoke(app, words, input=typed)
        assert isinstance(result.exception, SystemExit | None), result.exception
        return Ended(result.exit_code, result.stdout, result.stderr)

    return call
