"""The use of facts: the days and queries for which prompts contained them, and feedback."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from math import pow
from typing import NamedTuple

from erstwhile.core.scope import Scope
from erstwhile.core.text import folded
from erstwhile.secrets.masking import masked_repr

KEPT = 90
"""The number of days for which the use of a fact is kept."""
_HALF_LIFE = 30.0
"""The number of days after which a use counts half; fewer for facts that age faster."""
_BITS = 62
"""The number of bits that distinguish the queries of one day."""
_DOUBT = 2
"""A prior count of opinions, so that one opinion alone has little effect."""
_FIRST_DAY = datetime(1970, 1, 1, tzinfo=UTC).toordinal()


class Feedback(StrEnum):
    """The judgement on a recalled fact."""

    USEFUL = "useful"
    IRRELEVANT = "irrelevant"


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """All feedback on a fact in one scope."""

    fact: str
    useful: int
    irrelevant: int
    at: datetime


class Use(NamedTuple):
    """The use of a fact in the prompts of one scope on one day."""

    scope: Scope
    fact: str
    day: int


class Used(NamedTuple):
    """The use of a fact in one scope, up to the last day of use."""

    day: int
    queries: int
    """A bit for each query of that day."""
    earlier: float
    """The use of earlier days, with decay."""

    def again(self, day: int, queries: int, half_life: float) -> Used:
        """Return the use with the queries of one more day, which may be an earlier day."""
        if day == self.day:
            return self._replace(queries=self.queries | queries)
        if day > self.day:
            return Used(day, queries, self.until(day, half_life))
        late = _faded(queries.bit_count(), self.day - day, half_life)
        return self._replace(earlier=self.earlier + late)

    def until(self, day: int, half_life: float) -> float:
        """Return the use of all days before a day, with decay, as a number of different queries."""
        if day < self.day:
            return 0.0
        own = self.queries.bit_count() if day > self.day else 0
        return _faded(self.earlier + own, day - self.day, half_life)


@dataclass(frozen=True, slots=True)
class Signals:
    """The signals of a fact for ranking. The value 0 has no effect."""

    use: float = 0.0
    """The number of queries on earlier days; older ones count less."""
    feedback: float = 0.0
    """From -1, always irrelevant, to 1, always useful."""


NO_SIGNALS = Signals()


def day_of(moment: datetime) -> int:
    """Return the days since 1970, in UTC."""
    return moment.astimezone(UTC).toordinal() - _FIRST_DAY


def query_bit(query: str) -> int:
    """Return one of a few bits, equal for equal queries in every process."""
    return 1 << int.from_bytes(sha256(folded(query).encode()).digest()[:8]) % _BITS


def _faded(use: float, days: int, half_life: float) -> float:
    return use * pow(0.5, days / min(half_life, _HALF_LIFE))


def balance(useful: float, irrelevant: float) -> float:
    """Return the balance of opinions, from -1 to 1."""
    return (useful - irrelevant) / (useful + irrelevant + _DOUBT)
