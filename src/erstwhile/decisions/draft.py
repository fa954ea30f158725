"""Checks of new decisions and requests. Every secret in them is masked."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import choice
from erstwhile.core.text import checked_id, checked_label, checked_text
from erstwhile.core.time import Moment, parse_moment
from erstwhile.decisions.decision import (
    Choice,
    Coverage,
    Decider,
    Decision,
    DecisionRequest,
    Lasting,
)
from erstwhile.decisions.tool_input import Digests, ToolInput, keyed, read_input
from erstwhile.facts.draft import limited

MAX_DECISION_TEXT = 10_000
MAX_OPTIONS = 50
MAX_TURN = 2**31 - 1
CLOCKS_DIFFER = timedelta(minutes=5)
"""How far ahead of our clock the clock of a caller may be."""
_ADDED = (
    "id", "scope", "recorded_at", "outcome", "superseded_by", "superseded_because", "deleted_at",
    "vouched",
)  # fmt: skip
"""The fields that the memory sets."""


class DecisionDraft(NamedTuple):
    """A decision that can be stored, and its input as it was."""

    decision: Decision
    request: CheckedRequest


class CheckedRequest(NamedTuple):
    """A request that can be compared."""

    goal: str
    """The goal with its secrets masked."""
    input: ToolInput
    whole_goal: str
    """The goal as it was; it is never stored."""

    def digests(self, key: bytes) -> Digests:
        """Return the keyed digests of the goal, and of the tool with its input."""
        return Digests(keyed(key, self.whole_goal), self.input.digest(key))


def checked_decision(decision: Decision, *, now: datetime) -> DecisionDraft:
    """Return a decision that can be stored; the fields that the memory sets are left empty."""
    if not isinstance(decision, Decision):
        raise InvalidInputError(
            f"not a decision: {type(decision).__name__}", remedy="pass a Decision"
        )
    request = checked_request(
        DecisionRequest(goal=decision.goal, tool=decision.tool, input=decision.input)
    )
    goal, given = request.goal, request.input
    options = limited(decision.options, "options", MAX_OPTIONS)
    checked = Decision(
        key=checked_id(decision.key, name="key"),
        goal=goal,
        tool=given.tool,
        input=given.masked,
        turn=_checked_turn(decision.turn),
        choice=choice(Choice, decision.choice, name="choice"),
        message=safe_text(decision.message, "message"),
        rationale=safe_text(decision.rationale, "rationale"),
        options=tuple(safe_text(option, "each option") for option in options),
        decided_by=choice(Decider, decision.decided_by, name="decided_by"),
        decided_at=_checked_time(decision.decided_at, now),
        lasts=choice(Lasting, decision.lasts, name="lasts"),
        covers=choice(Coverage, decision.covers, name="covers"),
        transient=bool(decision.transient),
    )
    _check_coverage(checked)
    return DecisionDraft(checked, request)


def checked_request(request: DecisionRequest) -> CheckedRequest:
    """Return a checked request, with its input as it was and with its secrets masked."""
    if not isinstance(request, DecisionRequest):
        raise InvalidInputError(
            f"not a request: {type(request).__name__}", remedy="pass a DecisionRequest"
        )
    goal, tool = checked_label(request.goal, name="goal"), checked_label(request.tool, name="tool")
    given = read_input(tool, request.tool.strip(), request.input)
    return CheckedRequest(goal, given, request.goal.strip())


def safe_text(value: str, name: str) -> str:
    """Return a checked text, which may be empty."""
    return checked_text(value, name=name, limit=MAX_DECISION_TEXT) if value else ""


def same_content(stored: Decision, draft: Decision) -> bool:
    """Return whether the fields that the caller sets are equal."""
    draft = replace(draft, decided_at=draft.decided_at or stored.decided_at)
    return replace(draft, **{name: getattr(stored, name) for name in _ADDED}) == stored


def _checked_time(decided_at: Moment | None, now: datetime) -> datetime | None:
    if decided_at is None:
        return None
    parsed = parse_moment(decided_at, now=now, name="decided_at")
    if parsed > now + CLOCKS_DIFFER:
        raise InvalidInputError(
            "decided_at lies in the future", remedy="record a decision when it is made"
        )
    return parsed


def _check_coverage(decision: Decision) -> None:
    """Raise if a decision about some fields is not one that a person wrote."""
    if decision.covers != Coverage.FIELDS:
        return
    if decision.decided_by != Decider.PERSON:
        raise InvalidInputError(
            "only a person decides about every input with the same fields",
            remedy="leave `covers` out",
        )
    if not isinstance(decision.input, dict) or not decision.input:
        raise InvalidInputError(
            "the input has no fields to cover", remedy="give the fields that must be equal"
        )


def _checked_turn(turn: int) -> int:
    if isinstance(turn, bool) or not isinstance(turn, int) or not 0 <= turn <= MAX_TURN:
        raise InvalidInputError(f"turn must be a whole number, 0 or more, not {turn!r}")
    return turn
