"""From candidates to an order: fusion, small factors, the floor, and no two that say the same.

Everything here is a pure function of values, so that evaluation can swap one and tests can reach
the corners.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from heapq import heappop, heappush, nlargest
from math import log1p
from typing import NamedTuple

from erstwhile.core.time import FOREVER
from erstwhile.facts.fact import Fact
from erstwhile.facts.usage_signals import NO_SIGNALS, Signals
from erstwhile.recall.hits import Fusion

VECTOR_SHARE = 0.4
"""The share of meaning in the sum; words have the rest."""
_EQUAL = 1e-6
"""Similarities that differ by less were rounded."""
RRF_CONSTANT = 60
LARGEST_SHIFT = 0.1
"""All factors together move a score by at most this part of it. So a match that is better by more
than 1.1 / 0.9 cannot be overtaken, whatever the factors say."""
_HOUR = timedelta(hours=1)
MOST_WORDS = 8
"""So many words of a question can be expected in one fact."""
MUCH_USED = 100
"""Use counts ever less, and no more beyond so many questions."""
SAME = 0.9
"""Two facts that share this part of their terms say the same."""


class Scores(NamedTuple):
    """One candidate's scores: by words, and by meaning if it has a vector."""

    text: float
    cosine: float | None


def convex(candidates: Sequence[Scores]) -> list[float]:
    """A weighted sum of both channels, each stretched to 0..1 over the candidates."""
    best = max((each.text for each in candidates), default=0.0)
    cosines = [each.cosine for each in candidates if each.cosine is not None]
    if not cosines:
        return [each.text / best if best else 0.0 for each in candidates]
    lowest, spread = _range(cosines)
    share = VECTOR_SHARE if best else 1.0
    return [
        share * ((lowest if each.cosine is None else max(each.cosine, lowest)) - lowest) / spread
        + (1 - share) * (each.text / best if best else 0.0)
        for each in candidates
    ]


def _range(cosines: Sequence[float]) -> tuple[float, float]:
    """What they are stretched over; if all are the same, such as one alone, each says it itself."""
    lowest, highest = min(cosines), max(cosines)
    return (lowest, highest - lowest) if highest - lowest > _EQUAL else (0.0, 1.0)


def reciprocal_ranks(candidates: Sequence[Scores]) -> list[float]:
    """The sum over channels of 1 / (60 + rank), stretched so that the best possible is 1."""
    by_text = ranks([each.text or None for each in candidates])
    by_vector = ranks([each.cosine for each in candidates])
    parts = [
        sum(1 / (RRF_CONSTANT + rank) for rank in pair if rank)
        for pair in zip(by_text, by_vector, strict=True)
    ]
    return [part * (RRF_CONSTANT + 1) / 2 for part in parts]


def whole(weights: Iterable[float]) -> float:
    """What the words of a question weigh: the heaviest of them, since no fact holds a dialogue."""
    return sum(nlargest(MOST_WORDS, weights)) or 1.0


FUSIONS: Mapping[Fusion, Callable[[Sequence[Scores]], list[float]]] = {
    Fusion.CONVEX: convex,
    Fusion.RRF: reciprocal_ranks,
}


def ranks(scores: Sequence[float | None]) -> list[int | None]:
    """The place of each score, the highest being 1; equal ones share it, and None has none."""
    rounded = [None if score is None else round(score, 6) for score in scores]
    falling = sorted((score for score in rounded if score is not None), reverse=True)
    places = {score: place for place, score in reversed(list(enumerate(falling, 1)))}
    return [None if score is None else places[score] for score in rounded]


def factors(
    fact: Fact,
    now: datetime,
    *,
    named: bool = False,
    period: tuple[datetime, datetime] | None = None,
    signals: Signals = NO_SIGNALS,
) -> dict[str, float]:
    """What speaks for a fact or against it besides its match, each a small shift around 0."""
    # In whole hours: a question asked again a moment later has the same answer.
    age = max((now - fact.recorded_at) // _HOUR / 24, 0.0)
    shifts = {
        "kind": 0.04 * (fact.kind.weight - 0.5),
        "age": 0.03 * (0.5 ** (age / fact.kind.half_life) - 0.5),
        "confidence": 0.04 * (fact.confidence - 0.75),
        "evidence": 0.01 * min(log1p(fact.evidence - 1), 2.0),
        "pinned": 0.02 * fact.pinned,
        "entity": 0.03 * named,
        "period": 0.0 if period is None else (0.05 if _held_in(fact, period) else -0.05),
        "use": 0.02 * min(log1p(signals.use) / log1p(MUCH_USED), 1.0),
        "feedback": 0.04 * signals.feedback,
    }
    total = abs(sum(shifts.values()))
    if total <= LARGEST_SHIFT:
        return shifts
    return {name: shift * LARGEST_SHIFT / total for name, shift in shifts.items()}


def contenders(bases: Sequence[float], limit: int) -> list[int]:
    """Those that factors could still bring among the first `limit`, best first."""
    order = sorted(range(len(bases)), key=lambda at: -bases[at])
    if len(order) <= limit:
        return order
    reach = bases[order[limit - 1]] * (1 - LARGEST_SHIFT) / (1 + LARGEST_SHIFT)
    return [at for at in order if bases[at] >= reach]


def best_first(bases: Sequence[float], judge: Callable[[int], float]) -> Iterator[int]:
    """Places by their final scores, of bases that fall; each is judged only when it may be next."""
    waiting: list[tuple[float, int]] = []
    for at, base in enumerate(bases):
        while waiting and -waiting[0][0] > base * (1 + LARGEST_SHIFT):
            yield heappop(waiting)[1]
        heappush(waiting, (-judge(at), at))
    while waiting:
        yield heappop(waiting)[1]


def apart(order: Iterable[int], terms: Sequence[frozenset[str]], limit: int) -> list[int]:
    """The first of them, but what says the same as something before it goes to the end."""
    kept: list[int] = []
    repeats: list[int] = []
    for at in order:
        alike = any(_alike(terms[at], terms[other]) for other in kept)
        (repeats if alike else kept).append(at)
        if len(kept) == limit:
            break
    return (kept + repeats)[:limit]


def _held_in(fact: Fact, period: tuple[datetime, datetime]) -> bool:
    """Said to be so in that time, or begun in it; what is merely still true does not count."""
    start, end = period
    ended_after = (fact.ends_at or FOREVER) > start
    return start <= fact.valid_from < end or (fact.retired_at is not None and ended_after)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Nearly the same words, and the same numbers: a changed number says something else."""
    if not SAME * len(other) <= len(one) <= len(other) / SAME:  # most are told apart by this
        return False
    if len(one & other) < SAME * len(one | other):
        return False
    return not any(letter.isdigit() for term in one ^ other for letter in term)
