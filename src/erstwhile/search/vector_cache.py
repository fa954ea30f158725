"""Which vectors this process keeps in memory, and which it gives up when they are too many."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from erstwhile.search.vectors import ScopeVectors


class VectorCache:
    """The scopes that this process has searched, the least recently used given up first."""

    def __init__(self, limit: int = 1 << 30) -> None:
        self._limit = limit
        self._scopes: dict[tuple[int, int], ScopeVectors] = {}
        self.lock = Lock()

    def scope(self, embedder: int, scope: int, dimensions: int) -> ScopeVectors:
        """The vectors of one model in one scope; call it, and use them, under the lock."""
        key = (embedder, scope)
        # Loaded here: a memory without an embedder needs no numpy.
        from erstwhile.search.vectors import ScopeVectors

        held = self._scopes.pop(key, None)
        if held is None:  # one that is empty is kept: it knows up to where it has read
            held = ScopeVectors(dimensions)
        self._scopes[key] = held
        return held

    def trim(self) -> None:
        """Give up what was not used for longest while too much is held."""
        while self.memory > self._limit and len(self._scopes) > 1:
            self._scopes.pop(next(iter(self._scopes)))

    @property
    def memory(self) -> int:
        """Bytes held by all scopes."""
        return sum(held.memory for held in self._scopes.values())
