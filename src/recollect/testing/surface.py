"""What can be called on a memory: its collections, whether they were used already or not."""

from __future__ import annotations

from functools import cached_property

from recollect.holdings import Holdings
from recollect.memory import Memory


def collections_of(memory: Memory) -> dict[str, object]:
    """Every collection of a memory, by its name."""
    held = [name for name, part in vars(Holdings).items() if isinstance(part, cached_property)]
    return {name: getattr(memory, name) for name in held}
