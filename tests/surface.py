"""The collections of a memory."""

from __future__ import annotations

from erstwhile.lazy_collections import Lazy, LazyCollections
from erstwhile.memory import Memory

COLLECTIONS = sorted(
    name
    for name, part in vars(LazyCollections).items()
    if isinstance(part, Lazy) and not name.startswith("_")
)


def collections_of(memory: Memory) -> dict[str, object]:
    """Return every collection of a memory by its name."""
    return {name: getattr(memory, name) for name in COLLECTIONS}
