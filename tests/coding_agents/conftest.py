"""A home folder of its own for each test: coding agents keep their settings there."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty home folder, without programs of coding agents on the path."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        folder = tmp_path / {"HOME": "home"}.get(name, f"home/{name.lower()}")
        folder.mkdir(parents=True, exist_ok=True)
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return tmp_path / "home"
