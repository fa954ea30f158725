"""New folders and files are on the disk, not only in the memory of the system."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import erstwhile
from tests.reliability.soundness import QUIET


def test_each_new_name_is_synced_with_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of a file is synced by SQLite, the folders above it are not."""
    synced: set[Path] = set()
    sync = os.fsync

    def noted(opened: int) -> None:
        synced.add(Path(f"/proc/self/fd/{opened}").readlink())
        sync(opened)

    monkeypatch.setattr(os, "fsync", noted)
    erstwhile.open(tmp_path / "new" / "folder" / "memory.db", settings=QUIET).close()
    assert synced == {tmp_path, tmp_path / "new", tmp_path / "new" / "folder"}
    synced.clear()
    erstwhile.backup(tmp_path / "new" / "folder" / "memory.db", tmp_path / "other" / "backups")
    assert synced == {tmp_path, tmp_path / "other", tmp_path / "other" / "backups"}
