"""Candidates and facts of one user, and their reconciliation."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

from erstwhile import Fact, Scope, draft
from erstwhile.learning.candidate import Candidate, Change, FactStatus, Support
from erstwhile.learning.reconcile import KnownFacts, reconcile
from erstwhile.types import Origin

ANA = Scope(user="ana")
SHOP = Scope(user="ana", project="shop")
THEN = datetime(2026, 3, 1, 9, tzinfo=UTC)
NOW = THEN + timedelta(days=30)


def fact(text: str, *, scope: Scope = ANA, at: datetime = THEN, **details: Any) -> Fact:
    details = {"origin": Origin.LEARNED, **details}
    return draft(text, now=at, **details).to_fact(scope, at)


def proposed(
    text: str, *replaced: Fact, answer: FactStatus | str | None = None, **details: Any
) -> Candidate:
    """Return the proposal of a model, and the answer of verification about what it replaces."""
    statuses = {} if answer is None else {each.id: FactStatus(answer) for each in replaced}
    ids = tuple(each.id for each in replaced)
    usual = {"found_by": "llm:tiny", "support": Support.SAID, "statuses": statuses}
    return Candidate(text=text, **{"replaces": ids, **usual, **details})


def found(text: str, **details: Any) -> Candidate:
    """Return the finding of a pattern."""
    return Candidate(text=text, **{"found_by": "en/lives", **details})


def changes(
    said: list[Candidate],
    *known: Fact,
    scope: Scope = SHOP,
    said_later: Collection[str] = (),
    protected: Collection[str] = (),
) -> list[Change]:
    facts = KnownFacts(
        facts=known, scope=scope, now=NOW, said_later=said_later, protected=protected
    )
    return reconcile(said, facts)


def change(said: Candidate, *known: Fact, **details: Any) -> Change:
    [only] = changes([said], *known, **details)
    return only
