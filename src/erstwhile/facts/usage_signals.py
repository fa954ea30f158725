"""How facts were used: on which days prompts got them, for which questions, and to what avail."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from math import pow
from typing import NamedTuple

from erstwhile.core.scope import Scope
from erstwhile.core.text import folded

KEPT = 90
"""For so many days it is known that a fact was used."""
_HALF_LIFE = 30.0
"""After so many days a use counts half; of facts that age faster, as they do."""
_BITS = 62
"""A day's questions about a fact are told apart by so many bits; a row keeps no more of them."""
_DOUBT = 2
"""So many opinions are outweighed by none: one alone moves little."""
_FIRST_DAY = datetime(1970, 1, 1, tzinfo=UTC).toordinal()


class Feedback(StrEnum):
    """What a reader thinks of a fact that was recalled."""

    USEFUL = "useful"
    IRRELEVANT = "irrelevant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """All feedback on a fact that was given in one scope."""

    fact: str
    useful: int
    irrelevant: int
    at: datetime


class Use(NamedTuple):
    """A reader's prompts of one day got a fact."""

    scope: Scope
    fact: str
    day: int


class Used(NamedTuple):
    """How a reader used a fact, up to the last day on which it was."""

    day: int
    queries: int
    """A bit for each question of that day."""
    earlier: float
    """What the days before come to, seen from that day."""

    def again(self, day: int, queries: int, half_life: float) -> Used:
        """With the questions of one more day, which may have been noted late."""
        if day == self.day:
            return self._replace(queries=self.queries | queries)
        if day > self.day:
            return Used(day, queries, self.until(day, half_life))
        late = _faded(queries.bit_count(), self.day - day, half_life)
        return self._replace(earlier=self.earlier + late)

    def until(self, day: int, half_life: float) -> float:
        """What all use before a day comes to on that day: questions that differ, and days."""
        if day < self.day:
            return 0.0
        own = self.queries.bit_count() if day > self.day else 0
        return _faded(self.earlier + own, day - self.day, half_life)


@dataclass(frozen=True, slots=True)
class Signals:
    """What its use says of a fact. Nothing known is 0, and shifts nothing."""

    use: float = 0.0
    """For how many questions it was used on earlier days, the older counting less."""
    feedback: float = 0.0
    """From -1, always irrelevant, to 1, always useful."""


NO_SIGNALS = Signals()


def day_of(moment: datetime) -> int:
    """Days since 1970, in UTC."""
    return moment.astimezone(UTC).toordinal() - _FIRST_DAY


def query_bit(query: str) -> int:
    """One of a few bits, the same for the same question in every process."""
    return 1 << int.from_bytes(sha256(folded(query).encode()).digest()[:8]) % _BITS


def _faded(use: float, days: int, half_life: float) -> float:
    return use * pow(0.5, days / min(half_life, _HALF_LIFE))


def balance(useful: float, irrelevant: float) -> float:
    """What the opinions come to."""
    return (useful - irrelevant) / (useful + irrelevant + _DOUBT)
