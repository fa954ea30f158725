"""The change of memory that a candidate calls for: the result of reconciliation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from erstwhile.core.kinds import Ending
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate


class Act(StrEnum):
    """The effect of a change."""

    ADD = "add"
    """A new fact."""
    REPEAT = "repeat"
    """Evidence for a fact with the same content."""
    SUPERSEDE = "supersede"
    """A new fact that replaces the facts."""
    END = "end"
    """The facts are no longer true, and nothing replaces them."""
    CONFLICT = "conflict"
    """A new fact, linked with the facts that it may contradict."""
    HOLD = "hold"
    """A new fact in quarantine, until a person decides; nothing else changes."""
    REFUSE = "refuse"
    """No change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The change for one candidate; `facts` are the stored facts that it touches."""

    act: Act
    candidate: Candidate
    facts: tuple[Fact, ...] = ()
    ending: Ending = Ending.SUPERSEDED
    """How the facts end, if they do: a correction shows that they were never true."""
    because: str = ""
    """The rule that decided it, for the audit trail."""
