"""The size of a memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from erstwhile.secrets.masking import masked_repr


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """The numbers of visible facts by state; `kinds` counts the live ones by kind.

    `bytes` is the size of the whole store, and None for a memory with a scope.
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
