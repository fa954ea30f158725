"""What holds for all tests: nobody's own settings, and the same examples in every run."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import settings

from tests.engines.postgres.server import shared_url

# Before the contracts are imported, so that a failing assertion shows its values.
pytest.register_assert_rewrite("tests.contracts")

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def empty_config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("settings") / "config.toml"
    file.touch()
    return file


@pytest.fixture(autouse=True)
def nobodys_settings(monkeypatch: pytest.MonkeyPatch, empty_config: Path) -> None:
    """No test reads the settings of whoever runs it, or loads a model that it did not ask for."""
    for name in os.environ:
        if name.startswith("ERSTWHILE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("ERSTWHILE_CONFIG", str(empty_config))
    monkeypatch.setenv("ERSTWHILE_EMBEDDER", "none")


@pytest.fixture(scope="session")
def postgres() -> str:
    """The address of a PostgreSQL server, which is started if none is there. Nothing is skipped."""
    return shared_url()


@pytest.fixture
def space() -> str:
    """A space that no other test has."""
    return uuid4().hex
