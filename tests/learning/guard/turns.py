"""Candidates for tests of the guard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from erstwhile.core.policies import Policy
from erstwhile.learning.candidate import Candidate, Verdict
from erstwhile.learning.guard.checks import BUDGETS, guarded


def judged(
    text: str, *, room: Mapping[str, int] | None = None, pii: Any = "keep", **more: Any
) -> Candidate:
    """Return the proposal of a model with the verdicts of the guard."""
    candidate = Candidate(**{"text": text, "found_by": "llm:tiny", **more})
    return guarded(candidate, Policy(pii=pii), {**BUDGETS, **(room or {})})


def rules(verdicts: tuple[Verdict, ...]) -> list[str]:
    return [verdict.rule for verdict in verdicts]
