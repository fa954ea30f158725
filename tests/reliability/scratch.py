"""Folders for trials, in the memory of the machine if it offers one.

What the trials look at does not depend on a real disk: a model loses what was not synced, and what
a killed process wrote is with the system already. Without a real disk they are much faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_IN_MEMORY = Path("/dev/shm")  # noqa: S108  each folder in it is private


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield an empty folder, which is removed afterwards."""
    parent = _IN_MEMORY if _IN_MEMORY.is_dir() else None
    with TemporaryDirectory(dir=parent, prefix="reliability-") as folder:
        yield Path(folder)
