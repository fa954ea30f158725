"""The rules that turn past decisions into advice for a request.

Advice denies if people or rules denied several very similar requests. It allows if a person allowed
exactly this request. In every other case it suggests to ask a person.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from erstwhile.decisions.decision import (
    Advice,
    Choice,
    Decider,
    DecisionHit,
    DecisionRequest,
    FoundBy,
    Lasting,
    Suggestion,
)

FEWEST_DENIALS = 3
SHARE_OF_DENIALS = 0.6
ADVICE_FLOOR = 0.75
"""The lowest score of a very similar request; commands that share only the program score less."""


def advise(request: DecisionRequest, hits: Sequence[DecisionHit], limit: int) -> Advice:
    """Return the advice of similar decisions. They come best first; the first `limit` vote."""
    if not hits:
        return Advice(suggestion=Suggestion.ASK, reason="no past decision is similar")
    recalled = tuple(hits[:limit])
    allowed = _newest([hit for hit in hits if _allows(hit)])
    denials = [hit for hit in recalled if _denies(hit) and _is_later(hit, allowed)]
    if len(denials) >= FEWEST_DENIALS and len(denials) >= SHARE_OF_DENIALS * len(recalled):
        return Advice(
            suggestion=Suggestion.DENY,
            reason=_denial_reason(denials, recalled),
            precedents=recalled,
        )
    same = _newest([hit for hit in hits if hit.found_by is FoundBy.SAME and _is_judgement(hit)])
    if same is not None and _allows(same) and _applies(same, request):
        reason = f"a person allowed exactly this ({same.decision.short_id})"
        return Advice(suggestion=Suggestion.ALLOW, reason=reason, precedents=(same,))
    return Advice(suggestion=Suggestion.ASK, reason=_ask_reason(recalled), precedents=recalled)


def _is_judgement(hit: DecisionHit) -> bool:
    """Return whether a person or a rule decided; decisions by models and failures do not count."""
    decision = hit.decision
    by_judge = decision.decided_by in (Decider.PERSON, Decider.RULE)
    return by_judge and not decision.transient and decision.choice != Choice.OBSERVE


def _denies(hit: DecisionHit) -> bool:
    return _is_judgement(hit) and hit.decision.choice == Choice.DENY


def _allows(hit: DecisionHit) -> bool:
    by_person = hit.decision.decided_by == Decider.PERSON
    return by_person and _is_judgement(hit) and hit.decision.choice == Choice.ALLOW


def _is_later(denial: DecisionHit, allowed: DecisionHit | None) -> bool:
    """Return whether a denial is newer than the last allowance by a person."""
    return allowed is None or _time_of(denial) > _time_of(allowed)


def _applies(hit: DecisionHit, request: DecisionRequest) -> bool:
    """Return whether an allowance is still valid and had no bad outcome."""
    decision = hit.decision
    if decision.lasts == Lasting.ONCE:
        return False
    if decision.lasts == Lasting.GOAL and decision.goal != request.goal:
        return False
    return decision.outcome is None or decision.outcome.good is not False


def _newest(hits: Sequence[DecisionHit]) -> DecisionHit | None:
    return max(hits, key=_time_of, default=None)


def _time_of(hit: DecisionHit) -> tuple[datetime, str]:
    at = hit.decision.decided_at
    assert isinstance(at, datetime)  # noqa: S101  (a stored decision has one)
    return at, hit.decision.id


def _denial_reason(denials: Sequence[DecisionHit], recalled: Sequence[DecisionHit]) -> str:
    message = next((hit.decision.message for hit in denials if hit.decision.message), "")
    counted = f"{len(denials)} of {len(recalled)} similar decisions were denials"
    return f"{counted}: {message}" if message else counted


def _ask_reason(recalled: Sequence[DecisionHit]) -> str:
    counts = {choice: sum(hit.decision.choice == choice for hit in recalled) for choice in Choice}
    summary = ", ".join(f"{count} {choice}" for choice, count in counts.items() if count)
    return f"similar past decisions are not enough to decide ({summary})"
