"""Turns and candidates for tests of the guard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from erstwhile.conversations.conversation import Role
from erstwhile.core.policy import Policy
from erstwhile.core.scope import Scope
from erstwhile.learning import guard
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.turn import Turn, TurnLine
from erstwhile.learning.candidate import Verdict

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


def turn(
    user: str = "", assistant: str = "", tool: str = "", *, before: tuple[str, str] = ("", "")
) -> Turn:
    """Return a turn with one line per role; the id of each message is the role.

    `before` are the messages of the user and the assistant in the exchange before.
    """
    return Turn(
        conversation="c",
        scope=Scope(user="ana"),
        said_at=NOW,
        lines=_lines({Role.USER: user, Role.ASSISTANT: assistant, Role.TOOL: tool}),
        before=_lines(dict(zip((Role.USER, Role.ASSISTANT), before, strict=True))),
    )


def _lines(said: Mapping[Role, str]) -> tuple[TurnLine, ...]:
    return tuple(
        TurnLine(message=role, role=role, text=text) for role, text in said.items() if text
    )


def judged(
    text: str,
    said: Turn,
    *,
    room: Mapping[str, int] | None = None,
    pii: Any = "keep",
    known: Sequence[str] = (),
    **more: Any,
) -> tuple[Candidate, tuple[Verdict, ...]]:
    """Judge the proposal of a model."""
    candidate = Candidate(text=text, found_by="llm:tiny", **more)
    return guard.judge(candidate, said, Policy(pii=pii), room or {}, known)


def rules(verdicts: tuple[Verdict, ...]) -> list[str]:
    return [verdict.rule for verdict in verdicts]
