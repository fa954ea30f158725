"""Lessons: rules that an agent learned, kept while they are useful."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import log2

from erstwhile.core.time import EPOCH
from erstwhile.storage.record import Record

MAX_RULE = 2_000
MAX_LESSONS = 10
"""How many a scope keeps of one domain."""

HALF_LIFE = timedelta(days=90)
"""After so long without being learned again, a lesson is worth half."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson(Record):
    """A rule, how often it was learned, and when last."""

    domain: str
    rule: str
    occurrences: int
    learned_at: datetime

    @property
    def usefulness(self) -> float:
        """Grows with each occurrence and with recency; only good for comparing.

        It is the logarithm of occurrences that lose half their worth in each half-life. All lessons
        lose it alike, so which of two is more useful does not depend on when it is asked.
        """
        return log2(self.occurrences) + (self.learned_at - EPOCH) / HALF_LIFE


def surplus(lessons: Sequence[Lesson], newest: str) -> list[Lesson]:
    """The least useful lessons over the limit. The one just learned stays: it needs its chance."""
    others = [lesson for lesson in lessons if lesson.id != newest]
    others.sort(key=lambda lesson: (lesson.usefulness, lesson.id))
    return others[: max(0, len(lessons) - MAX_LESSONS)]
