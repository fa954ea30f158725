"""What a peer is asked to do. An adapter implements it in some 30 lines."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from bench.compare.vectors import Embed


class System(Protocol):
    """A store of texts in a folder. What `add` acknowledged should survive the process."""

    def __init__(self, folder: Path, embed: Embed | None) -> None:
        """Open or create the store; without `embed`, with the system's own embedder."""
        ...

    def add(self, id: str, text: str) -> None:
        """Store one text, searchable when this returns."""
        ...

    def add_many(self, texts: Mapping[str, str]) -> None:
        """Store texts by their ids, in the fastest way that the system has."""
        ...

    def recall(self, question: str, limit: int) -> list[str]:
        """Return ids, best first."""
        ...

    def delete(self, id: str) -> None:
        """Delete a text for good, in the way that the system documents."""
        ...

    def close(self) -> None:
        """Write what is not yet written."""
        ...


def load(name: str) -> type[System]:
    """Return the adapter of a system; its packages are imported by its module."""
    return cast("type[System]", import_module(f"bench.compare.systems.{name}").System)
