"""The report of a consolidation: what it changed, what it proposes, and why."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from erstwhile.core.public_record import PublicRecord, public_record


class ConsolidationAct(StrEnum):
    """What a consolidation did."""

    MERGED = "merged"
    """Facts that say the same became one fact, which supersedes the others."""
    DISPUTED = "disputed"
    """Two facts that seem to contradict each other became a conflict."""
    PROPOSED = "proposed"
    """A change waits in the quarantine for a person."""
    LEARNED = "learned"
    """A lesson was drawn from repeated observations."""


@public_record
class ConsolidationChange(PublicRecord):
    """One change of a consolidation."""

    _shown = ("act", "text", "because")
    act: ConsolidationAct
    """What was done."""
    id: str
    """The id of the fact that stays or is proposed, of the conflict, or of the lesson."""
    text: str
    """The text of that record."""
    others: tuple[str, ...]
    """The texts of the facts or observations that it comes from."""
    because: str
    """The reason."""


@public_record
class Consolidation(PublicRecord):
    """The report of a consolidation. `consolidations.undo` takes its changes back by its id."""

    _shown = ("id", "at", "examined", "preview")
    id: str | None
    """The id of the run; None if nothing was to be done, and for a preview."""
    at: datetime
    """When it began."""
    changes: tuple[ConsolidationChange, ...] = ()
    """What was done, each with the reason."""
    examined: int = 0
    """The number of live facts."""
    asked: int = 0
    """The number of groups that the language model was asked about."""
    notes: tuple[str, ...] = ()
    """What was left out, and why."""
    preview: bool = False
    """Whether nothing was changed."""
