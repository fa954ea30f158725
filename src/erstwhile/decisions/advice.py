"""What past decisions suggest for a request: the rule, and nothing else.

To deny without asking takes several denials that people or rules made, in nearly the same case. To
allow takes a person who allowed exactly this. In every other case somebody is asked.
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
"""Nearer than most pairs of commands that only have the program in common."""


def advise(request: DecisionRequest, near: Sequence[DecisionHit], k: int) -> Advice:
    """Weigh the decisions that are near enough, nearest first; the first `k` of them vote."""
    if not near:
        return Advice(suggestion=Suggestion.ASK, reason="no past decision is like this")
    recalled = tuple(near[:k])
    allowed = _newest([hit for hit in near if _allows(hit)])
    denials = [hit for hit in recalled if _denies(hit) and _stands(hit, allowed)]
    if len(denials) >= FEWEST_DENIALS and len(denials) >= SHARE_OF_DENIALS * len(recalled):
        return Advice(
            suggestion=Suggestion.DENY, reason=_denied(denials, recalled), precedents=recalled
        )
    same = _newest([hit for hit in near if hit.found_by is FoundBy.SAME and _judges(hit)])
    if same is not None and _allows(same) and _reaches(same, request):
        reason = f"a person allowed exactly this ({same.decision.short_id})"
        return Advice(suggestion=Suggestion.ALLOW, reason=reason, precedents=(same,))
    return Advice(suggestion=Suggestion.ASK, reason=_undecided(recalled), precedents=recalled)


def _judges(hit: DecisionHit) -> bool:
    """People and rules judge; models and earlier advice only guess, and failures say nothing."""
    said = hit.decision
    by = said.decided_by in (Decider.PERSON, Decider.RULE)
    return by and not said.transient and said.choice != Choice.OBSERVE


def _denies(hit: DecisionHit) -> bool:
    return _judges(hit) and hit.decision.choice == Choice.DENY


def _allows(hit: DecisionHit) -> bool:
    by_person = hit.decision.decided_by == Decider.PERSON
    return by_person and _judges(hit) and hit.decision.choice == Choice.ALLOW


def _stands(denial: DecisionHit, allowed: DecisionHit | None) -> bool:
    """A denial holds until a person allows such a thing."""
    return allowed is None or _when(denial) > _when(allowed)


def _reaches(hit: DecisionHit, request: DecisionRequest) -> bool:
    """Whether an allowance was meant to go so far, and did no harm as far as anybody knows."""
    said = hit.decision
    if said.lasts == Lasting.ONCE or (said.lasts == Lasting.GOAL and said.goal != request.goal):
        return False
    return said.outcome is None or said.outcome.good is not False


def _newest(hits: Sequence[DecisionHit]) -> DecisionHit | None:
    return max(hits, key=_when, default=None)


def _when(hit: DecisionHit) -> tuple[datetime, str]:
    at = hit.decision.decided_at
    assert isinstance(at, datetime)  # noqa: S101  (the store gave it one)
    return at, hit.decision.id


def _denied(denials: Sequence[DecisionHit], recalled: Sequence[DecisionHit]) -> str:
    message = next((hit.decision.message for hit in denials if hit.decision.message), "")
    counted = f"{len(denials)} of {len(recalled)} decisions like this were denials"
    return f"{counted}: {message}" if message else counted


def _undecided(recalled: Sequence[DecisionHit]) -> str:
    counts = {choice: sum(hit.decision.choice == choice for hit in recalled) for choice in Choice}
    told = ", ".join(f"{count} {choice}" for choice, count in counts.items() if count)
    return f"past decisions like this do not settle it ({told})"
