"""The receipt of an erasure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The number of destroyed records of each kind, and the ids of the erased records."""

    at: datetime
    ids: tuple[str, ...]
    facts: int = 0
    versions: int = 0
    tags: int = 0
    mentions: int = 0
    relations: int = 0
    entities: int = 0
    blocks: int = 0
    decisions: int = 0
    conversations: int = 0
    messages: int = 0
    summaries: int = 0
    sessions: int = 0
    identities: int = 0
    records: int = 0
    audit_entries: int = 0
