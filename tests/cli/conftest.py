"""A separate memory for each test, independent of the settings of the developer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

import pytest
from click.testing import CliRunner

from erstwhile.cli.app import app
from tests.cli.shell import Ended


class Cli(Protocol):
    def __call__(self, *words: str, typed: bytes | None = None) -> Ended: ...


@pytest.fixture(autouse=True)
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty_file: Path) -> Path:
    """Return the file of an empty memory, and set it in the environment."""
    for name in os.environ:
        if name.startswith("ERSTWHILE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("ERSTWHILE_DB", str(empty_file))
    (tmp_path / "config.toml").touch()
    monkeypatch.setenv("ERSTWHILE_CONFIG", str(tmp_path / "config.toml"))
    return empty_file


@pytest.fixture
def cli() -> Cli:
    """Call the command line in this process, where standard output is no terminal."""

    def call(*words: str, typed: bytes | None = None) -> Ended:
        result = CliRunner().invoke(app, words, input=typed)
        assert isinstance(result.exception, SystemExit | None), result.exception
        return Ended(result.exit_code, result.stdout, result.stderr)

    return call
