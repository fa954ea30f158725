"""Checks of new decisions and requests. Every secret in them is masked."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import choice
from erstwhile.core.text import checked_label, checked_text
from erstwhile.core.time import parse_moment
from erstwhile.decisions.decision import Choice, Decider, Decision, DecisionRequest, Lasting
from erstwhile.decisions.tool_input import canonical
from erstwhile.facts.draft import limited

MAX_DECISION_TEXT = 10_000
MAX_OPTIONS = 50
MAX_TURN = 2**31 - 1
_ADDED = (
    "scope", "recorded_at", "outcome", "superseded_by", "superseded_because", "deleted_at",
)  # fmt: skip
"""The fields that the memory sets."""

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def checked_decision(decision: Decision, *, now: datetime) -> Decision:
    """Return a decision that can be stored; the fields that the memory sets are left empty."""
    if not isinstance(decision, Decision):
        raise InvalidInputError(
            f"not a decision: {type(decision).__name__}", remedy="pass a Decision"
        )
    request = checked_request(
        DecisionRequest(goal=decision.goal, tool=decision.tool, input=decision.input)
    )
    options = limited(decision.options, "options", MAX_OPTIONS)
    return Decision(
        id=_checked_id(decision.id),
        goal=request.goal,
        tool=request.tool,
        input=request.input,
        turn=_checked_turn(decision.turn),
        choice=choice(Choice, decision.choice, name="choice"),
        message=safe_text(decision.message, "message"),
        rationale=safe_text(decision.rationale, "rationale"),
        options=tuple(safe_text(option, "each option") for option in options),
        decided_by=choice(Decider, decision.decided_by, name="decided_by"),
        decided_at=None
        if decision.decided_at is None
        else parse_moment(decision.decided_at, now=now, name="decided_at"),
        lasts=choice(Lasting, decision.lasts, name="lasts"),
        transient=bool(decision.transient),
    )


def checked_request(request: DecisionRequest) -> DecisionRequest:
    """Return a checked request with its secrets masked."""
    if not isinstance(request, DecisionRequest):
        raise InvalidInputError(
            f"not a request: {type(request).__name__}", remedy="pass a DecisionRequest"
        )
    return DecisionRequest(
        goal=checked_label(request.goal, name="goal"),
        tool=checked_label(request.tool, name="tool"),
        input=json.loads(canonical(request.input)),
    )


def safe_text(value: str, name: str) -> str:
    """Return a checked text, which may be empty."""
    return checked_text(value, name=name, limit=MAX_DECISION_TEXT) if value else ""


def same_content(stored: Decision, draft: Decision) -> bool:
    """Return whether the fields that the caller sets are equal."""
    draft = replace(draft, decided_at=draft.decided_at or stored.decided_at)
    return replace(draft, **{name: getattr(stored, name) for name in _ADDED}) == stored


def _checked_id(given: str) -> str:
    id = given.strip().lower() if isinstance(given, str) else ""
    if not _ID.fullmatch(id):
        raise InvalidInputError(f"{given!r} is not an id", remedy="give a UUID, or leave it out")
    return id


def _checked_turn(turn: int) -> int:
    if isinstance(turn, bool) or not isinstance(turn, int) or not 0 <= turn <= MAX_TURN:
        raise InvalidInputError(f"turn must be a whole number, 0 or more, not {turn!r}")
    return turn
