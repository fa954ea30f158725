"""The four kinds of records of an agent's work, and the checks of their fields."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from math import log2

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.core.text import checked_label, checked_text, folded
from erstwhile.core.time import EPOCH
from erstwhile.storage.record import Record

MAX_NOTE = 10_000
MAX_RULE = 2_000
MAX_TITLE = 500
MAX_PART = 20_000
"""The longest part of an observation or limitation, in characters."""

MAX_LESSONS = 10
"""The number of lessons that a scope keeps in one domain."""
HALF_LIFE = timedelta(days=90)
"""The half-life: after this time without being learned again, a lesson counts half."""


@public_record
class Outcome(Record):
    """One result of the agent's work; `score` is -1 (bad), 0 (neutral) or +1 (good)."""

    _shown = ("short_id", "domain", "score", "note")
    domain: str
    score: int
    note: str | None
    source: str | None


@public_record
class OutcomeTally(PublicRecord):
    """The number of good, neutral and bad outcomes in one domain of one project."""

    domain: str
    project: str | None
    good: int
    neutral: int
    bad: int

    @property
    def balance(self) -> int:
        """The good outcomes minus the bad ones."""
        return self.good - self.bad


@public_record
class Lesson(Record):
    """A rule that the agent learned, how often, and when last."""

    _shown = ("short_id", "domain", "rule")
    domain: str
    rule: str
    occurrences: int = 1
    learned_at: datetime

    @property
    def usefulness(self) -> float:
        """A number to compare lessons: it grows with occurrences and with recency.

        It is the logarithm of the occurrences, halved for each half-life since. All lessons decay
        alike, so the order of two lessons does not depend on the current time.
        """
        return log2(self.occurrences) + (self.learned_at - EPOCH) / HALF_LIFE

    @property
    def searched(self) -> str:
        """The text in the search index."""
        return f"{self.domain}: {self.rule}"

    @property
    def timestamp(self) -> datetime:
        """The time at which it was first learned."""
        return self.created_at


def surplus(lessons: Sequence[Lesson], newest: str) -> list[Lesson]:
    """Return the least useful lessons above the limit, but never the newest one."""
    others = [lesson for lesson in lessons if lesson.id != newest]
    others.sort(key=lambda lesson: (lesson.usefulness, lesson.id))
    return others[: max(0, len(lessons) - MAX_LESSONS)]


class ObservationType(StrEnum):
    """The type of an observation."""

    BUGFIX = "bugfix"
    DECISION = "decision"
    PATTERN = "pattern"
    CONFIG = "config"
    DISCOVERY = "discovery"
    LEARNING = "learning"
    ARCHITECTURE = "architecture"


@public_record
class Observation(Record):
    """A note on the work: what, why, where, and what the agent learned from it."""

    _shown = ("short_id", "type", "title")
    type: ObservationType
    title: str
    what: str | None
    why: str | None
    where: str | None
    learned: str | None

    @property
    def searched(self) -> str:
        """The text in the search index."""
        parts = (self.title, self.what, self.why, self.where, self.learned)
        return " \n ".join(part for part in parts if part)

    @property
    def timestamp(self) -> datetime:
        """The time of the recording."""
        return self.created_at


class LimitationStatus(StrEnum):
    """Whether a limitation is open or resolved. As a filter, `any` means both."""

    OPEN = "open"
    RESOLVED = "resolved"
    ANY = "any"


@public_record
class Limitation(Record):
    """Something that the agent cannot do, how often it was reported, and its resolution."""

    _shown = ("short_id", "status", "title")
    title: str
    description: str | None
    plan: str | None
    reports: int = 1
    reported_at: datetime
    resolved_at: datetime | None = None
    resolution: str | None = None

    @property
    def status(self) -> LimitationStatus:
        """The status: open until it is resolved."""
        return LimitationStatus.OPEN if self.resolved_at is None else LimitationStatus.RESOLVED


def checked_domain(domain: str) -> str:
    """Return a domain in its normal form: case, spacing and Unicode form do not matter."""
    return folded(checked_label(domain, name="domain"))


def checked_score(score: int) -> int:
    """Return a score. Raise InvalidInputError unless it is -1, 0 or 1."""
    if isinstance(score, bool) or not isinstance(score, int) or score not in (-1, 0, 1):
        raise InvalidInputError(f"the score cannot be {score!r}", remedy="use -1, 0 or 1")
    return score


def checked_part(text: str | None, name: str) -> str | None:
    """Return an optional part of an observation or limitation, checked and masked."""
    return None if text is None else checked_text(text, name=name, limit=MAX_PART)
