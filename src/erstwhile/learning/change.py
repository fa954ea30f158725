"""What shall happen to memory because of a candidate: the outcome of reconciling."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate


class Act(StrEnum):
    """What a change does."""

    ADD = "add"
    """A fact of its own."""
    REPEAT = "repeat"
    """Evidence for the one fact that says the same."""
    SUPERSEDE = "supersede"
    """It takes the place of the facts."""
    END = "end"
    """The facts are no longer true, and nothing takes their place."""
    CONFLICT = "conflict"
    """A fact of its own, linked with the facts that it may contradict."""
    REFUSE = "refuse"
    """Nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One candidate's change; `facts` are the stored facts that it touches."""

    act: Act
    candidate: Candidate
    facts: tuple[Fact, ...] = ()
    because: str = ""
    """The rule that decided it, for the audit trail."""
