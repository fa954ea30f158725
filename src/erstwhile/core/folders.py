"""Folders: those of this user, and new ones that no other user can read."""

from __future__ import annotations

import os
from pathlib import Path


def user_folder(purpose: str) -> Path:
    """Return the folder of this user for "config", "data" or "cache"."""
    import platformdirs  # only a caller without a location needs it

    find = getattr(platformdirs, f"user_{purpose}_dir")
    return Path(find("erstwhile", appauthor=False))


def project_of(folder: Path) -> str:
    """Return the name of the project in a folder: that of its repository, or of the folder."""
    folder = folder.absolute()
    inside = (each for each in (folder, *folder.parents) if (each / ".git").exists())
    return next(inside, folder).name or "root"


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
