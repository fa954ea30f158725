"""Rerank hits: a model reads the query together with the passage of each of the best hits.

It is optional, and slower than the search itself. Its judgement is the relevance of a hit. The
order also keeps a share of the search, which knows names, times and neighbours that the model does
not read. If the model fails, the order of the search stays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite

from erstwhile.core.errors import EmbedderError
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Reranker
from erstwhile.facts.fact import Fact
from erstwhile.recall.embedding import within
from erstwhile.recall.filters import RecallOptions
from erstwhile.recall.hits import Channel, Hit, RecallHits
from erstwhile.recall.relevance import log_odds

RERANKED = 30
"""The best hits that the model reads, however few are wanted. On three conversations of LoCoMo 20
give .806 of the evidence among the first ten, 30 give .815, 50 give .821."""
SEARCH_SHARE = 0.3
"""The share of the search in the order of the hits. With 0 the same gives .789, without a reranker
.782."""
_PAUSE = 30.0
"""Seconds without calls of a model that has just failed."""


class Reranking:
    """The reranker of this process, if it has one."""

    def __init__(self, make: Callable[[], Reranker | None], wait: float) -> None:
        self._make = make
        self._wait = wait
        self._paused_until = 0.0
        self._problem = ""

    def widened(self, options: RecallOptions) -> RecallOptions:
        """Return options that find enough hits to rerank."""
        if not options.rerank or self._make() is None:
            return options
        return replace(options, limit=max(options.limit, RERANKED))

    def applied(self, query: str, found: RecallHits, options: RecallOptions) -> RecallHits:
        """Return the hits with the best ones in the order of the reranker, up to the limit."""
        reranker = self._make() if options.rerank else None
        best = [hit for hit in found if hit.why.channel is Channel.MATCH][:RERANKED]
        if reranker is None or not best:
            return found
        try:
            scores = self._scores(reranker, query, best)
        except Exception as error:  # an own reranker may raise anything
            message = error.message if isinstance(error, EmbedderError) else type(error).__name__
            log_failure(__name__, "hits were not reranked", error=error)
            notices = (*found.trace.notices, f"{message}: not reranked")
            hits = found.hits[: options.limit]
            return replace(found, hits=hits, trace=replace(found.trace, notices=notices))
        lowest = options.floor or 0.0  # without a floor, the search decided what is relevant
        relevant = [hit for hit in _ordered(best, scores) if hit.relevance >= lowest]
        return replace(found, hits=(*relevant, *found.hits[len(best) :])[: options.limit])

    def _scores(self, reranker: Reranker, query: str, hits: Sequence[Hit]) -> Sequence[float]:
        """Return the relevance of each hit. Raise EmbedderError if the model gives none."""
        if time.monotonic() < self._paused_until:
            raise EmbedderError(self._problem)
        try:
            texts = [_text(hit) for hit in hits]
            scores = within(self._wait, reranker, partial(reranker.rerank, query, texts))
            if len(scores) != len(texts) or not all(map(isfinite, scores)):
                raise EmbedderError(f"{reranker.model} did not return one number per text")
        except Exception as error:
            after = getattr(error, "retry_after", None) or _PAUSE
            self._paused_until = time.monotonic() + after
            self._problem = getattr(error, "message", type(error).__name__)
            raise
        return [min(max(float(score), 0.0), 1.0) for score in scores]


def _text(hit: Hit) -> str:
    """Return the passage to read; a key belongs to the text of its fact."""
    key = hit.record.key if isinstance(hit.record, Fact) else None
    return f"{key}: {hit.passage.text}" if key else hit.passage.text


def _ordered(hits: Sequence[Hit], relevances: Sequence[float]) -> list[Hit]:
    """Return the hits with these relevances, in the order of both model and search."""
    odds = _scaled([log_odds(each) for each in relevances])
    searched = _scaled([hit.why.score for hit in hits])
    reranked = [
        replace(
            hit,
            relevance=relevance,
            why=replace(
                hit.why,
                score=(1 - SEARCH_SHARE) * odd + SEARCH_SHARE * before,
                reranked=relevance,
            ),
        )
        for hit, odd, before, relevance in zip(hits, odds, searched, relevances, strict=True)
    ]
    return sorted(reranked, key=lambda hit: -hit.why.score)


def _scaled(values: Sequence[float]) -> list[float]:
    """Scale values to 0..1."""
    lowest, span = min(values), (max(values) - min(values)) or 1.0
    return [(value - lowest) / span for value in values]
