"""Who may do what to a fact: by whom it was said, whether it is pinned, and since when it holds."""

from __future__ import annotations

from datetime import datetime, timedelta

from erstwhile.core.kinds import Kind, Origin, Tier, Trust
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate

RECENT = timedelta(days=31)
"""What began so lately is news, though the fact was told after it began."""


def rank(candidate: Candidate) -> int:
    """Whose word counts more within one turn: outside, the assistant, the user."""
    if candidate.origin.trust is Trust.QUARANTINED:
        return 0
    return 1 if candidate.origin is Origin.AGENT else 2


def objection(candidate: Candidate, fact: Fact, *, current: bool, now: datetime) -> str | None:
    """Why the candidate may not retire the fact, whatever it says; None if it may.

    `current` is whether the candidate says that it is so now, and not only since when.
    """
    if fact.pinned:
        return "the fact is pinned"
    if candidate.origin is Origin.AGENT and not _said_by_the_assistant(fact):
        return "the assistant's word does not retire what others said"
    if _passing(candidate) and fact.expires_at is None:
        return "it passes, and the fact does not"
    if not current and _older(candidate, fact) and not _is_news(candidate, fact, now):
        return "it is older than the fact"
    return None


def is_of_another_time(candidate: Candidate, now: datetime) -> bool:
    """Whether it is not true yet, or no longer."""
    since, until = candidate.valid_from, candidate.expires_at
    return (since is not None and since > now) or (until is not None and until <= now)


def _said_by_the_assistant(fact: Fact) -> bool:
    return fact.origin is Origin.AGENT and fact.tier is Tier.INFERRED


def _passing(candidate: Candidate) -> bool:
    return candidate.kind is Kind.STATE or candidate.expires_at is not None


def _older(candidate: Candidate, fact: Fact) -> bool:
    """By days: one who says "since today" does not know the hour."""
    since = candidate.valid_from
    return since is not None and since.date() < fact.valid_from.date()


def _is_news(candidate: Candidate, fact: Fact, now: datetime) -> bool:
    """As "I moved last week", minutes after "I live in Lisbon", which nobody said since when."""
    since = candidate.valid_from
    told_as_it_is = fact.valid_from.date() == fact.recorded_at.date()
    return since is not None and now - since <= RECENT and told_as_it_is
