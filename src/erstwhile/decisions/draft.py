"""A decision on its way in: everything checked, every secret masked."""

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

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def checked_decision(said: Decision, *, now: datetime) -> Decision:
    """The decision as it can be stored, or a typed error; what the memory adds is left empty."""
    if not isinstance(said, Decision):
        raise InvalidInputError(f"not a decision: {type(said).__name__}", remedy="pass a Decision")
    request = checked_request(DecisionRequest(goal=said.goal, tool=said.tool, input=said.input))
    options = limited(said.options, "options", MAX_OPTIONS)
    return Decision(
        id=_checked_id(said.id),
        goal=request.goal,
        tool=request.tool,
        input=request.input,
        turn=_checked_turn(said.turn),
        choice=choice(Choice, said.choice, name="choice"),
        message=safe_text(said.message, "message"),
        rationale=safe_text(said.rationale, "rationale"),
        options=tuple(safe_text(option, "each option") for option in options),
        decided_by=choice(Decider, said.decided_by, name="decided_by"),
        decided_at=None
        if said.decided_at is None
        else parse_moment(said.decided_at, now=now, name="decided_at"),
        lasts=choice(Lasting, said.lasts, name="lasts"),
        transient=bool(said.transient),
    )


def checked_request(said: DecisionRequest) -> DecisionRequest:
    """The request with its secrets masked, as decisions are stored."""
    if not isinstance(said, DecisionRequest):
        raise InvalidInputError(
            f"not a request: {type(said).__name__}", remedy="pass a DecisionRequest"
        )
    return DecisionRequest(
        goal=checked_label(said.goal, name="goal"),
        tool=checked_label(said.tool, name="tool"),
        input=json.loads(canonical(said.input)),
    )


def safe_text(value: str, name: str) -> str:
    """A text of any length in reason, also none."""
    return checked_text(value, name=name, limit=MAX_DECISION_TEXT) if value else ""


def same_content(stored: Decision, said: Decision) -> bool:
    """Whether a decision says what is stored under its id, as far as the caller said it."""
    said = replace(said, decided_at=said.decided_at or stored.decided_at)
    added = ("scope", "recorded_at", "outcome", "superseded_by", "superseded_because")
    return replace(said, **{name: getattr(stored, name) for name in added}) == stored


def _checked_id(given: str) -> str:
    wanted = given.strip().lower() if isinstance(given, str) else ""
    if not _ID.fullmatch(wanted):
        raise InvalidInputError(f"{given!r} is not an id", remedy="give a UUID, or leave it out")
    return wanted


def _checked_turn(turn: int) -> int:
    if isinstance(turn, bool) or not isinstance(turn, int) or not 0 <= turn <= MAX_TURN:
        raise InvalidInputError(f"turn must be a number from 0 on, not {turn!r}")
    return turn
