"""Candidates and facts of one user, and their reconciliation."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from erstwhile import Fact, Scope, draft
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.candidate import Change
from erstwhile.learning.reconcile import reconcile
from erstwhile.types import Origin

ANA = Scope(user="ana")
THEN = datetime(2026, 3, 1, 9, tzinfo=UTC)
NOW = THEN + timedelta(days=30)
SOON = NOW + timedelta(days=2)


def fact(text: str, *, scope: Scope = ANA, at: datetime = THEN, **details: Any) -> Fact:
    details = {"origin": Origin.LEARNED, **details}
    return draft(text, now=at, **details).to_fact(scope, at)


def say(text: str, **details: Any) -> Candidate:
    return Candidate(text=text, **details)


def changes(said: list[Candidate], *known: Fact) -> list[Change]:
    return reconcile(said, known, scope=ANA, now=NOW)


def change(said: Candidate | str, *known: Fact) -> Change:
    [only] = changes([say(said) if isinstance(said, str) else said], *known)
    return only
