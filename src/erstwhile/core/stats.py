"""How much is remembered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Counts of what is visible; `kinds` tells those of the live facts.

    The size of the whole store is told only to a memory without a scope, since it speaks of all.
    """

    live: int
    quarantined: int
    upcoming: int
    retired: int
    deleted: int
    kinds: Mapping[str, int] = field(hash=False)
    engine: str
    schema: int
    bytes: int | None
