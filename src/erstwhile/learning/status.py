"""The status of learning: its model, its spending today, and the pending conversations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from erstwhile.core.background import BackgroundFailure
from erstwhile.usage.entry import UsageSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningStatus:
    """How learning stands in this scope; for a memory without a scope, in all of them."""

    model: str | None
    """The language model; None if only patterns are used, or if it cannot be created."""
    spent: UsageSummary
    """The spending today in UTC: in all scopes if this memory has none, else the visible part."""
    limit: str
    """The limit per day for all scopes together."""
    reached: str
    """The limit that is reached, so that only patterns are used until midnight; else empty."""
    waiting: int
    """The number of conversations that can be learned from now."""
    put_off: int
    """The number of conversations that are leased, or are tried again later."""
    next_try: datetime | None
    """The time when the first of those is due again; None if there is none."""
    failing: str | None
    """Why the newest attempt failed, or why the model cannot be created; else None."""
    left_alone_until: datetime | None
    """The time until which this process does not ask the model after several failures in a row.

    After that, one question tries it. This stays until one succeeds. None if it may be asked.
    """
    background: tuple[BackgroundFailure, ...] = ()
    """The background work of this process that fails now, learning and other, in all scopes."""
