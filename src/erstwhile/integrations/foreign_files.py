"""Import files of other memory programs into a memory."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path

from erstwhile.core.arguments import checked_arguments
from erstwhile.integrations.ways_in.arriving import Arrived, arrive
from erstwhile.integrations.ways_in.registry import read_from
from erstwhile.memory import Memory


@checked_arguments
def import_from(
    memory: Memory,
    name: str,
    file: str | PathLike[str],
    *,
    preview: bool = False,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Arrived:
    """Import a file of another program into the scope of a memory; a preview stores nothing."""
    found = read_from(name, Path(file).expanduser())
    return arrive(memory, name, found, progress, preview=preview)
