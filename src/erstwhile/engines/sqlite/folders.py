"""Folders that survive a power cut: a new name is on the disk when its folder was synced."""

from __future__ import annotations

import os
from pathlib import Path


def make_private(folder: Path) -> None:
    """Create a folder for this user alone, and missing folders on the way."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
        sync(each.parent)


def sync(folder: Path) -> None:
    """Make the names in a folder survive a power cut."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
