"""Turns for tests, on a Monday."""

from __future__ import annotations

from datetime import UTC, datetime

from erstwhile.conversations.conversation import Role
from erstwhile.core.scope import Scope
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.patterns.read import candidates
from erstwhile.learning.turn import Turn, TurnLine

SAID_AT = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)


def turn(*texts: str | tuple[str, str], before: str = "") -> Turn:
    """Return a turn of the user, or of the named roles; the messages are m0, m1 …"""
    said = [("user", text) if isinstance(text, str) else text for text in texts]
    lines = tuple(
        TurnLine(message=f"m{place}", role=Role(role), text=text)
        for place, (role, text) in enumerate(said)
    )
    earlier = (TurnLine(message="b", role=Role.USER, text=before),) if before else ()
    return Turn(conversation="c", scope=Scope(), said_at=SAID_AT, lines=lines, before=earlier)


def learned(*texts: str | tuple[str, str]) -> list[str]:
    return [candidate.text for candidate in candidates(turn(*texts))]


def only(*texts: str | tuple[str, str]) -> Candidate:
    [candidate] = candidates(turn(*texts))
    return candidate
