"""What came of copying a memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """A copy that was compared with its source, row by row, after it was made.

    `rows` tells how many rows each table has on both sides, `hash` is over all of them. `written`
    and `removed` count what this run had to do: a run after an interrupted one does the rest.
    """

    rows: Mapping[str, int] = field(hash=False)
    written: int
    removed: int
    hash: str
