"""The fields that all records have."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from erstwhile.core.ids import short_id
from erstwhile.core.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A record of a scope; `changed_at` is the time of its last change."""

    id: str
    scope: Scope
    created_at: datetime
    changed_at: datetime
    deleted_at: datetime | None = None

    @property
    def short_id(self) -> str:
        return short_id(self.id)
