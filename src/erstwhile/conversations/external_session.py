"""Sessions of other programs: where an agent left off with them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from erstwhile.core.ids import short_id
from erstwhile.core.scope import Scope

MAX_SESSION_ID = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalSession:
    """The id that another program gave to its session, kept per channel and scope."""

    id: str
    scope: Scope
    channel: str
    session_id: str
    set_at: datetime

    @property
    def short_id(self) -> str:
        return short_id(self.id)
