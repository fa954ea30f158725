"""How things turned out: good, bad or neither, by domain."""

from __future__ import annotations

from dataclasses import dataclass

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.text import checked_label, folded
from erstwhile.storage.record import Record

MAX_NOTE = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Record):
    """One result of the agent's work; `score` is -1, 0 or +1."""

    domain: str
    score: int
    note: str | None
    source: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeTally:
    """How often things went well, badly or neither in one domain of one project."""

    domain: str
    project: str | None
    good: int
    neutral: int
    bad: int

    @property
    def balance(self) -> int:
        """Good ones less bad ones."""
        return self.good - self.bad


def checked_domain(domain: str) -> str:
    """Domains are compared without regard to case, spacing and Unicode form."""
    return folded(checked_label(domain, name="domain"))


def checked_score(score: int) -> int:
    if isinstance(score, bool) or not isinstance(score, int) or score not in (-1, 0, 1):
        raise InvalidInputError(f"the score cannot be {score!r}", remedy="use -1, 0 or 1")
    return score
