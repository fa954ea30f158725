"""The receipt of an erasure, and the erasure of many records at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from erstwhile.core.scope import Scope
from erstwhile.secrets.masking import masked_repr


@masked_repr
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


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """The erasure of many records in some scopes, or the preview of it."""

    scopes: tuple[Scope, ...]
    """The scopes with something to erase, and for a whole scope also those that are empty now."""
    collections: Mapping[str, int] = field(hash=False)
    """The number of records of each collection. Empty collections are left out."""
    receipt: Receipt | None = None
    """None for a preview, which destroys nothing."""
