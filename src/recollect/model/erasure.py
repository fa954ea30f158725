"""What an erasure removed, told without any of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Counts of what is gone for good. `ids` name what was erased and say nothing else of it."""

    at: datetime
    ids: tuple[str, ...]
    versions: int = 0
    tags: int = 0
    mentions: int = 0
    relations: int = 0
    entities: int = 0
    decisions: int = 0
    blocks: int = 0
    audit_entries: int = 0

    @property
    def facts(self) -> int:
        return len(self.ids) - self.decisions - self.blocks
