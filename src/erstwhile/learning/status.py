"""How learning stands: what it works with, what it has spent today, what waits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from erstwhile.core.background import BackgroundFailure
from erstwhile.usage.entry import UsageSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningStatus:
    """How learning stands in this scope; for a memory without a scope, in all of them."""

    model: str | None
    """The language model that is asked; None if patterns alone are used, or it cannot be had."""
    spent: UsageSummary
    """Today, in UTC: in all scopes if this memory has none, else what is visible from here."""
    limit: str
    """What may be spent in a day, in all scopes together."""
    reached: str
    """Which limit is reached, so that patterns alone are used until midnight; empty if none is."""
    waiting: int
    """Conversations that can be learned from now."""
    put_off: int
    """Conversations that somebody is at, or that are tried again later."""
    next_try: datetime | None
    """When the first of those is due again; None if none is put off."""
    failing: str | None
    """Why the newest attempt at a turn worth one failed, or the model cannot be had; else None."""
    left_alone_until: datetime | None
    """Until when this process does not ask the model, which failed several times in a row.

    After that a single question tries it; until one succeeds, this stays. None if it may be asked.
    """
    background: tuple[BackgroundFailure, ...] = ()
    """The background work of this process that fails now, learning and other, in all scopes."""
