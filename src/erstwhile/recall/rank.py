"""Rank candidates: add up words and meaning, apply small factors, move repeats to the end.

All functions are pure, so that evaluation can swap them and tests can reach every case.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from heapq import heappop, heappush, nlargest
from math import ceil, log, log1p
from typing import NamedTuple

from erstwhile.core.time import FOREVER
from erstwhile.facts.fact import Fact
from erstwhile.facts.feedback import NO_SIGNALS, Signals
from erstwhile.recall.hits import Recalled
from erstwhile.recall.relevance import Measure

NEIGHBOUR_SHARE = 0.5
"""The weight of a direct neighbour's cosine; it is squared for the second neighbour."""
_EQUAL = 1e-6
"""Shares of words that differ by less are equal: the difference is rounding."""
LENGTH_SHARE = 0.15
"""How much the weight of a record falls with the logarithm of its number of passages."""
ASKING_SHARE = 0.4
"""The share of its weight that a record loses if it only asks."""
MENTIONED, ELSEWHERE = 0.8, 0.6
"""The weights of a short text that names the subject of the question later, or not at all. Names
that most texts have are too common to weigh much as words, and are not embedded."""
MAX_SHIFT = 0.15
"""All factors together change a score by at most this share. So factors cannot reorder two matches
whose scores differ by more than 1.15 / 0.85."""
IN_PERIOD = 0.1
"""The share by which a record of the period in the question gains, and any other one loses."""
_HOUR = timedelta(hours=1)
HALF_LIFE = 180.0
"""Days after which a record that is no fact has lost half of the advantage of a new one."""
MAX_TERMS = 8
"""The number of query terms that one fact can be expected to have."""
MUCH_USED = 100
"""The number of queries above which more usage does not count."""
SAME = 0.9
"""Two facts with this share of common terms are repeats."""


class Scores(NamedTuple):
    """How well a candidate matches: the share of the query's words, and its meaning.

    The meaning is in standard deviations above the cosine of unrelated texts; None without a
    vector. The weight is that of its role and length.
    """

    words: float
    meaning: float | None
    weight: float = 1.0


def evidence(candidates: Sequence[Scores], measure: Measure) -> list[float]:
    """Return the evidence for each candidate: its words and its meaning, with its weight.

    A candidate without a vector gets the meaning that its words suggest.
    """
    meanings = _with_expected(candidates)
    return [
        measure.evidence(each.words, meaning) * each.weight
        for each, meaning in zip(candidates, meanings, strict=True)
    ]


def length_weight(passages: int) -> float:
    """Return the weight of a record with so many passages.

    Its best passage counts, and of many passages one matches by accident.
    """
    return 1 / (1 + LENGTH_SHARE * log(passages))


def telling_weight(asks: float) -> float:
    """Return the weight of a record of which so many percent only ask."""
    return 1 - ASKING_SHARE * asks / 100


def subject_weight(terms: str, subject: frozenset[str]) -> float:
    """Return the weight of a short text, given the names in the question.

    Full if it begins with one, as the lines of a speaker and most sentences about somebody do.
    """
    words = terms.split()
    if subject.isdisjoint(words):
        return ELSEWHERE
    return 1.0 if words[0] in subject else MENTIONED


def smoothed(cosine: float, neighbours: Iterable[tuple[int, float]]) -> float:
    """Return the weighted mean cosine of a short message and its short neighbours.

    `neighbours` are pairs of a distance and a cosine. Those of long neighbours gain nothing.
    """
    total, weights = cosine, 1.0
    for distance, other in neighbours:
        weight = NEIGHBOUR_SHARE ** abs(distance)
        total, weights = total + weight * other, weights + weight
    return total / weights


def full_match(weights: Iterable[float]) -> float:
    """Return the weight of a full match by words: the sum of the heaviest query terms."""
    return sum(nlargest(MAX_TERMS, weights)) or 1.0


def _with_expected(candidates: Sequence[Scores]) -> list[float | None]:
    """Return the meanings of all candidates; missing ones as expected from their words."""
    known = [(each.words, each.meaning) for each in candidates if each.meaning is not None]
    if not known or len(known) == len(candidates):
        return [each.meaning for each in candidates]
    expected = _regression(known)
    return [expected(each.words) if each.meaning is None else each.meaning for each in candidates]


def _regression(points: Sequence[tuple[float, float]]) -> Callable[[float], float]:
    """Return the line of least squares through points, never falling, within their range."""
    x = sum(point[0] for point in points) / len(points)
    y = sum(point[1] for point in points) / len(points)
    spread = sum((point[0] - x) ** 2 for point in points)
    joint = sum((point[0] - x) * (point[1] - y) for point in points)
    slope = max(joint / spread, 0.0) if spread > _EQUAL else 0.0
    lowest, highest = (limit(point[1] for point in points) for limit in (min, max))
    return lambda word: min(max(y + slope * (word - x), lowest), highest)


def factors(
    record: Recalled,
    now: datetime,
    *,
    period: tuple[datetime, datetime] | None = None,
    signals: Signals = NO_SIGNALS,
) -> dict[str, float]:
    """Return small shifts of the score, by name: kind, age, confidence and so on.

    `period` is the time that the query names. Records that are no facts have only an age and a
    time.
    """
    if not isinstance(record, Fact):
        shifts = {"age": _age_shift(record.timestamp, now, HALF_LIFE)}
        if period is not None:
            shifts["period"] = (
                IN_PERIOD if period[0] <= record.timestamp < period[1] else -IN_PERIOD
            )
        return shifts
    shifts = {
        "kind": 0.04 * (record.kind.weight - 0.5),
        "age": _age_shift(record.recorded_at, now, record.kind.half_life),
        "confidence": 0.04 * (record.confidence - 0.75),
        "evidence": 0.01 * min(log1p(record.evidence - 1), 2.0),
        "pinned": 0.02 * record.pinned,
        "period": 0.0
        if period is None
        else (IN_PERIOD if _is_from(record, period) else -IN_PERIOD),
        "use": 0.02 * min(log1p(signals.use) / log1p(MUCH_USED), 1.0),
        "feedback": 0.04 * signals.feedback,
    }
    total = abs(sum(shifts.values()))
    if total <= MAX_SHIFT:
        return shifts
    return {name: shift * MAX_SHIFT / total for name, shift in shifts.items()}


def _age_shift(moment: datetime, now: datetime, half_life: float) -> float:
    # In whole hours, so that the same query a moment later has the same answer.
    age = max((now - moment) // _HOUR / 24, 0.0)
    return float(0.03 * (0.5 ** (age / half_life) - 0.5))


def contenders(bases: Sequence[float], limit: int) -> list[int]:
    """Return the places that factors could move among the first `limit`, best first."""
    order = sorted(range(len(bases)), key=lambda at: -bases[at])
    if len(order) <= limit:
        return order
    reach = bases[order[limit - 1]] * (1 - MAX_SHIFT) / (1 + MAX_SHIFT)
    return [at for at in order if bases[at] >= reach]


def best_first(bases: Sequence[float], judge: Callable[[int], float]) -> Iterator[int]:
    """Yield places by final score. `bases` is descending. Judge a place only when needed."""
    waiting: list[tuple[float, int]] = []
    for at, base in enumerate(bases):
        while waiting and -waiting[0][0] > base * (1 + MAX_SHIFT):
            yield heappop(waiting)[1]
        heappush(waiting, (-judge(at), at))
    while waiting:
        yield heappop(waiting)[1]


def repeats_last(
    order: Iterable[int],
    terms_of: Callable[[int], frozenset[str]],
    limit: int,
    searched: Collection[str] = (),
) -> list[int]:
    """Return the first `limit` places, with repeats of earlier facts at the end.

    Most of them have the terms that were `searched` for.
    """
    kept: list[int] = []
    repeats: list[int] = []
    beginning: dict[str, list[frozenset[str]]] = {}

    for at in order:
        terms = terms_of(at)
        # Two repeats have one of these terms in common: the rare ones, and long terms are rare.
        rare = sorted(sorted(terms.difference(searched)), key=len, reverse=True)
        several = [*rare, *sorted(terms.intersection(searched))]
        first = several[: len(terms) - ceil(SAME * len(terms)) + 1]
        if any(_is_repeat(terms, near) for term in first for near in beginning.get(term, ())):
            repeats.append(at)
            continue
        kept.append(at)
        if len(kept) == limit:
            break
        for term in first:
            beginning.setdefault(term, []).append(terms)
    return (kept + repeats)[:limit]


def _is_from(fact: Fact, period: tuple[datetime, datetime]) -> bool:
    """Return whether a fact began in the period, or has ended and was true in the period."""
    start, end = period
    ended_after = (fact.ends_at or FOREVER) > start
    return start <= fact.valid_from < end or (fact.retired_at is not None and ended_after)


def _is_repeat(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two facts have nearly the same terms and exactly the same numbers."""
    if not SAME * len(other) <= len(one) <= len(other) / SAME:  # the cheapest check first
        return False
    if len(one & other) < SAME * len(one | other):
        return False
    return not any(letter.isdigit() for term in one ^ other for letter in term)
