"""What the core asks of the outside: a clock, and an engine that runs SQL in transactions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol, TypeAlias, TypeVar

Row: TypeAlias = tuple[Any, ...]
Params: TypeAlias = Mapping[str, Any]
Result = TypeVar("Result")


class Clock(Protocol):
    def now(self) -> datetime:
        """The present, in UTC."""


class Session(Protocol):
    """Statements inside one transaction."""

    def rows(self, statement: str, params: Params) -> list[Row]:
        """Run a statement and return all its rows."""

    def run(self, statement: str, params: Params) -> int:
        """Run a statement and return how many rows it changed."""


class Engine(Protocol):
    """A database. It knows transactions and errors, and nothing of facts."""

    dialect: str
    space: str

    def read(self, work: Callable[[Session], Result]) -> Result:
        """Run `work` on one unchanging view of the store."""

    def write(self, work: Callable[[Session], Result]) -> Result:
        """Run `work` in a transaction of its own; when this returns, it is on disk.

        `work` may run more than once, and on another thread; it must touch nothing but its session.
        """

    def compact(self) -> None:
        """Rewrite the store so that no byte of a deleted row is left in it."""

    def size(self) -> int:
        """Bytes on disk, the log included."""

    def schema(self) -> int:
        """The number of the newest migration."""

    def close(self) -> None:
        """Release everything; closing twice is harmless."""
