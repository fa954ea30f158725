"""Records of tool calls by the hook: what was asked and answered, and what became of it.

The agent's own number of a call is the key of its record, so that both events find it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from erstwhile.core.errors import ConflictError
from erstwhile.core.ids import new_id
from erstwhile.decisions.decision import Choice, Decider, Decision, DecisionOutcome, DecisionRequest
from erstwhile.decisions.draft import DecisionDraft, checked_decision, safe_text
from erstwhile.decisions.table import DECISIONS
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit

_MAX_ERROR = 300


def record_call(
    access: Access, call: Mapping[str, Any], request: DecisionRequest, answered: str
) -> None:
    """Record a call that is about to happen, and the answer of the hook."""
    draft = _draft(access, call, request, answered)
    access.change(lambda unit: _find_or_add(unit, draft))


def record_outcome(
    access: Access, call: Mapping[str, Any], request: DecisionRequest, *, failed: bool
) -> None:
    """Record that a call is done, or failed; record the call itself if nobody did."""
    draft = _draft(access, call, request, "")
    text, good = _outcome(call, failed=failed)

    def record(unit: Unit) -> None:
        stored = _find_or_add(unit, draft)
        unit.tick()
        outcome = DecisionOutcome(text=text, good=good, at=unit.now)
        DECISIONS.change(unit, stored, replace(stored, outcome=outcome), "outcome")

    access.change(record)


def _draft(
    access: Access, call: Mapping[str, Any], request: DecisionRequest, message: str
) -> DecisionDraft:
    now = access.clock.now()
    observed = Decision(
        goal=request.goal,
        tool=request.tool,
        input=request.input,
        choice=Choice.OBSERVE,
        decided_by=Decider.AGENT,
        message=message,
        key=call.get("tool_use_id") or new_id(now),
    )
    return checked_decision(observed, now=now)


def _find_or_add(unit: Unit, draft: DecisionDraft) -> Decision:
    """Return the record of a call. An agent that asks twice about one call gets one record."""
    known = DECISIONS.with_key(unit, draft.decision.key, unit.viewer.scope)
    if known is not None and known.decided_by != Decider.AGENT:
        raise ConflictError(f"{known.short_id} is no record of a hook, but has the key of the call")
    return known or DECISIONS.add(unit, draft, unit.viewer.scope)


def _outcome(call: Mapping[str, Any], *, failed: bool) -> tuple[str, bool | None]:
    """Return what became of a call. Its output is not stored, only the begin of an error."""
    given = call.get("tool_response")
    response = given if isinstance(given, Mapping) else {}
    if not (failed or response.get("is_error") or response.get("success") is False):
        return "done", None
    error = str(call.get("error") or response.get("error") or response.get("stderr") or "")
    return safe_text(f"failed: {error[:_MAX_ERROR]}".rstrip(": "), "outcome"), False
