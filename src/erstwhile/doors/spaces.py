"""The memory that each token opens: the scope of the token, in its space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from erstwhile.core.errors import RefusedError
from erstwhile.doors.tokens import Token, dimensions

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_MOST = 100
"""The most spaces that one process has open. Each has connections of its own."""


class Spaces:
    """The memories of a server. It is started with one space, and opens others for their tokens."""

    def __init__(
        self, memory: Memory, space: str, open_space: Callable[[str], Memory] | None = None
    ) -> None:
        self._own = memory
        self._space = space
        self._open_space = open_space
        self._opened: dict[str, Memory] = {}
        self._lock = Lock()

    def memory_of(self, token: Token) -> Memory:
        """Return the memory that a token opens, or raise an ErstwhileError."""
        memory = self._own if token.space in (None, self._space) else self._other(str(token.space))
        scoped = memory.scoped(**dimensions(token.scope))
        viewer = scoped._access.viewer  # noqa: SLF001 (only a server keeps its callers within)
        return scoped._seen_by(replace(viewer, within=scoped.scope))  # noqa: SLF001 (as above)

    def close(self) -> None:
        """Close the spaces that were opened for tokens."""
        with self._lock:
            for memory in self._opened.values():
                memory.close()
            self._opened.clear()

    def _other(self, space: str) -> Memory:
        with self._lock:
            if space in self._opened:
                return self._opened[space]
            if self._open_space is None or len(self._opened) >= _MOST:
                raise RefusedError("this server does not open the space of the token")
            # A token is narrower than the server: its scope is that of the options.
            own = dimensions(self._own.scope)
            self._opened[space] = self._open_space(space).scoped(**own)
            return self._opened[space]
