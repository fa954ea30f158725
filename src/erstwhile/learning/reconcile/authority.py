"""Decide whether a candidate may retire a fact: by origin, pin, expiry and age."""

from __future__ import annotations

from datetime import datetime, timedelta

from erstwhile.core.kinds import Kind, Origin, Tier, Trust
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate

RECENT = timedelta(days=31)
"""A change that began within this time is news, even if the fact was recorded later."""


def rank(candidate: Candidate) -> int:
    """Return the rank of its origin: 0 for outside sources, 1 for the assistant, 2 for the user."""
    if candidate.origin.trust is Trust.QUARANTINED:
        return 0
    return 1 if candidate.origin is Origin.AGENT else 2


def objection(candidate: Candidate, fact: Fact, *, current: bool, now: datetime) -> str | None:
    """Return why the candidate may not retire the fact; None if it may.

    `current` is whether the candidate says that it is true now.
    """
    if fact.pinned:
        return "the fact is pinned"
    if candidate.origin is Origin.AGENT and not _said_by_the_assistant(fact):
        return "a statement of the assistant does not retire facts from others"
    if _passing(candidate) and fact.expires_at is None:
        return "it is temporary, and the fact is not"
    if not current and _older(candidate, fact) and not _is_news(candidate, fact, now):
        return "it is older than the fact"
    return None


def is_of_another_time(candidate: Candidate, now: datetime) -> bool:
    """Return whether the candidate is not true yet, or no longer."""
    since, until = candidate.valid_from, candidate.expires_at
    return (since is not None and since > now) or (until is not None and until <= now)


def _said_by_the_assistant(fact: Fact) -> bool:
    return fact.origin is Origin.AGENT and fact.tier is Tier.INFERRED


def _passing(candidate: Candidate) -> bool:
    return candidate.kind is Kind.STATE or candidate.expires_at is not None


def _older(candidate: Candidate, fact: Fact) -> bool:
    """Return whether the candidate began on an earlier day; hours are not compared."""
    since = candidate.valid_from
    return since is not None and since.date() < fact.valid_from.date()


def _is_news(candidate: Candidate, fact: Fact, now: datetime) -> bool:
    """Return whether a candidate is news: "I moved last week", minutes after "I live in Lisbon"."""
    since = candidate.valid_from
    recorded_as_current = fact.valid_from.date() == fact.recorded_at.date()
    return since is not None and now - since <= RECENT and recorded_as_current
