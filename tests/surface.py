"""The collections of a memory."""

from __future__ import annotations

from erstwhile.lazy_collections import Lazy, LazyCollections
from erstwhile.memory import Memory


def collections_of(memory: Memory) -> dict[str, object]:
    """Return every collection of a memory by its name."""
    held = [name for name, part in vars(LazyCollections).items() if isinstance(part, Lazy)]
    return {name: getattr(memory, name) for name in held}
