"""Rank candidates: fuse words and meaning, apply small factors, move repeats to the end.

All functions are pure, so that evaluation can swap them and tests can reach every case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from heapq import heappop, heappush, nlargest
from math import ceil, log1p
from typing import NamedTuple

from erstwhile.core.time import FOREVER
from erstwhile.facts.fact import Fact
from erstwhile.facts.feedback import NO_SIGNALS, Signals
from erstwhile.recall.hits import Recalled
from erstwhile.recall.models import SimilarityScale

MEANING_SHARE = 0.4
"""The share of meaning in a score where words match strongly; words have the rest."""
STRONG_SHARE = 0.5
STRONG_WEIGHT = 12.0
"""Words match strongly if the best candidate has half of the weight of the query's terms, and at
least this much: two or three rare words. Of a shorter query it must have all words."""
ACCIDENT = 0.3
"""Up to this part of a strong match words count for nothing, and from twice this part in full: one
word of several may be an accident. "Where do I go on vacation?" is not about what goes out."""
NEIGHBOUR_SHARE = 0.5
"""The weight of a direct neighbour's cosine; it is squared for the second neighbour."""
_EQUAL = 1e-6
"""Cosines that differ by less are equal: the difference is rounding."""
LARGEST_SHIFT = 0.1
"""All factors together change a score by at most this share. So factors cannot reorder two matches
whose scores differ by more than 1.1 / 0.9."""
_HOUR = timedelta(hours=1)
HALF_LIFE = 180.0
"""Days after which a record that is no fact has lost half of the advantage of a new one."""
MOST_TERMS = 8
"""The number of query terms that one fact can be expected to have."""
MUCH_USED = 100
"""The number of queries above which more usage does not count."""
SAME = 0.9
"""Two facts with this share of common terms are repeats."""


class Scores(NamedTuple):
    """The BM25 score of a candidate, its cosine if it has a vector, and the weight of its role.

    The weight is 1 for a fact and for a message of the user; see `query.others_weight`.
    """

    text: float
    cosine: float | None
    weight: float = 1.0


def fused(candidates: Sequence[Scores], full: float) -> list[float]:
    """Return a weighted sum of words and meaning, each scaled to 0..1 over the candidates.

    Where even the best candidate has few of the query's words, meaning decides. `full` is the
    weight of a full match. A candidate without a vector gets the meaning that its words suggest.
    """
    best = max((each.text for each in candidates), default=0.0)
    words = [each.text / best if best else 0.0 for each in candidates]
    meanings = _meanings([each.cosine for each in candidates], words)
    if meanings is None:
        return [word * each.weight for word, each in zip(words, candidates, strict=True)]
    share = meaning_share(best, full)
    return [
        (share * meaning + (1 - share) * word) * each.weight
        for meaning, word, each in zip(meanings, words, candidates, strict=True)
    ]


def smoothed(cosine: float, neighbours: Iterable[tuple[int, float]]) -> float:
    """Return the weighted mean cosine of a short message and its short neighbours.

    `neighbours` are pairs of a distance and a cosine. Those of long neighbours gain nothing.
    """
    total, weights = cosine, 1.0
    for distance, other in neighbours:
        weight = NEIGHBOUR_SHARE ** abs(distance)
        total, weights = total + weight * other, weights + weight
    return total / weights


def relevance(scores: Scores, full: float, scale: SimilarityScale | None) -> float:
    """Return how well a candidate matches, independent of others: by its words, or its meaning."""
    words = scores.text / full
    if scale is None or scores.cosine is None:
        return words
    return max(words, scale.nearness(scores.cosine))


def meaning_share(best: float, full: float) -> float:
    """Return the share of meaning: 0.4 if the best BM25 score is strong, up to 1 if it is weak."""
    strong = min(best / max(STRONG_SHARE * full, min(STRONG_WEIGHT, full)), 1.0)
    certain = min(max((strong - ACCIDENT) / ACCIDENT, 0.0), 1.0)
    strength = certain * strong**2
    return MEANING_SHARE / (MEANING_SHARE + (1 - MEANING_SHARE) * strength)


def full_match(weights: Iterable[float]) -> float:
    """Return the weight of a full match: the sum of the heaviest query terms."""
    return sum(nlargest(MOST_TERMS, weights)) or 1.0


def _meanings(cosines: Sequence[float | None], words: Sequence[float]) -> list[float] | None:
    """Return cosines scaled to 0..1, or None if there are none."""
    known = [cosine for cosine in cosines if cosine is not None]
    if not known:
        return None
    lowest, span = min(known), max(known) - min(known)
    if span <= _EQUAL:
        lowest, span = 0.0, 1.0
    scaled = [None if cosine is None else max(cosine - lowest, 0.0) / span for cosine in cosines]
    if len(known) == len(cosines):
        return [each for each in scaled if each is not None]
    expected = _regression([(x, y) for x, y in zip(words, scaled, strict=True) if y is not None])
    return [
        expected(word) if each is None else each for word, each in zip(words, scaled, strict=True)
    ]


def _regression(points: Sequence[tuple[float, float]]) -> Callable[[float], float]:
    """Return the line of least squares through points, never falling, between 0 and 1."""
    x = sum(point[0] for point in points) / len(points)
    y = sum(point[1] for point in points) / len(points)
    spread = sum((point[0] - x) ** 2 for point in points)
    joint = sum((point[0] - x) * (point[1] - y) for point in points)
    slope = max(joint / spread, 0.0) if spread > _EQUAL else 0.0
    return lambda word: min(max(y + slope * (word - x), 0.0), 1.0)


def factors(
    record: Recalled,
    now: datetime,
    *,
    named: bool = False,
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
            shifts["period"] = 0.05 if period[0] <= record.timestamp < period[1] else -0.05
        return shifts
    shifts = {
        "kind": 0.04 * (record.kind.weight - 0.5),
        "age": _age_shift(record.recorded_at, now, record.kind.half_life),
        "confidence": 0.04 * (record.confidence - 0.75),
        "evidence": 0.01 * min(log1p(record.evidence - 1), 2.0),
        "pinned": 0.02 * record.pinned,
        "entity": 0.03 * named,
        "period": 0.0 if period is None else (0.05 if _is_from(record, period) else -0.05),
        "use": 0.02 * min(log1p(signals.use) / log1p(MUCH_USED), 1.0),
        "feedback": 0.04 * signals.feedback,
    }
    total = abs(sum(shifts.values()))
    if total <= LARGEST_SHIFT:
        return shifts
    return {name: shift * LARGEST_SHIFT / total for name, shift in shifts.items()}


def _age_shift(moment: datetime, now: datetime, half_life: float) -> float:
    # In whole hours, so that the same query a moment later has the same answer.
    age = max((now - moment) // _HOUR / 24, 0.0)
    return float(0.03 * (0.5 ** (age / half_life) - 0.5))


def contenders(bases: Sequence[float], limit: int) -> list[int]:
    """Return the places that factors could move among the first `limit`, best first."""
    order = sorted(range(len(bases)), key=lambda at: -bases[at])
    if len(order) <= limit:
        return order
    reach = bases[order[limit - 1]] * (1 - LARGEST_SHIFT) / (1 + LARGEST_SHIFT)
    return [at for at in order if bases[at] >= reach]


def best_first(bases: Sequence[float], judge: Callable[[int], float]) -> Iterator[int]:
    """Yield places by final score. `bases` is descending. Judge a place only when needed."""
    waiting: list[tuple[float, int]] = []
    for at, base in enumerate(bases):
        while waiting and -waiting[0][0] > base * (1 + LARGEST_SHIFT):
            yield heappop(waiting)[1]
        heappush(waiting, (-judge(at), at))
    while waiting:
        yield heappop(waiting)[1]


def repeats_last(
    order: Iterable[int], terms_of: Callable[[int], frozenset[str]], limit: int
) -> list[int]:
    """Return the first `limit` places, with repeats of earlier facts at the end."""
    kept: list[int] = []
    repeats: list[int] = []
    beginning: dict[str, list[frozenset[str]]] = {}
    for at in order:
        terms = terms_of(at)
        # Two repeats have one of these terms in common. Long terms are rare.
        first = sorted(terms, key=_long_first)[: len(terms) - ceil(SAME * len(terms)) + 1]
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


def _long_first(term: str) -> tuple[int, str]:
    return -len(term), term


def _is_repeat(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two facts have nearly the same terms and exactly the same numbers."""
    if not SAME * len(other) <= len(one) <= len(other) / SAME:  # the cheapest check first
        return False
    if len(one & other) < SAME * len(one | other):
        return False
    return not any(letter.isdigit() for term in one ^ other for letter in term)
