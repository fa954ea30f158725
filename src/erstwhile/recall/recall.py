"""Recall: the stages from a query to hits.

query -> passages of each channel -> their records and neighbours -> scores -> order -> hits
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from erstwhile.core.fork_safety import cached_property
from erstwhile.core.hits import Trace
from erstwhile.core.ids import HIGHEST
from erstwhile.core.kinds import TextKind
from erstwhile.core.text import folded
from erstwhile.core.time import from_micros
from erstwhile.facts.fact import Fact
from erstwhile.facts.rows import to_fact
from erstwhile.recall import rank
from erstwhile.recall.candidates import RecallCandidate, allowed, read_ahead, with_neighbours
from erstwhile.recall.channels import TextChannel, VectorChannel
from erstwhile.recall.hits import (
    Channel,
    Considered,
    Hit,
    Passage,
    Recalled,
    RecallHits,
    Why,
)
from erstwhile.recall.narrowing import Narrowing
from erstwhile.recall.parsed_query import ParsedQuery
from erstwhile.recall.record_factors import record_factors
from erstwhile.recall.request import RecallOptions, RecordFilters
from erstwhile.recall.speaker import others_weight
from erstwhile.recall.term_counts import TermCounts
from erstwhile.recall.vector_search import QueryVector, VectorSearch
from erstwhile.recall.waiting import WaitingVectors
from erstwhile.search import bm25
from erstwhile.storage import passages
from erstwhile.storage.passages import ShelfGroup
from erstwhile.storage.view import View

FEWEST = 32
FEWEST_PASSAGES = 48
"""The lowest number of candidates of each channel, among facts and among other records. 64 facts
give equal results on LoCoMo and MADial; with 32 passages, BEAM loses a hundredth."""
BROAD = 3
MOST_SPARE = 100
"""Candidates of each channel: three per requested hit, and at most so many more than requested.
With two per hit, two in three hundred of the first twenty are lost."""
PLENTY = 1_000
"""The number of candidates after which the search ends, even with too few relevant ones."""


class Scored(NamedTuple):
    """A candidate with its scores."""

    candidate: RecallCandidate
    match: bm25.Match
    scores: rank.Scores
    relevance: float
    base: float


class Means(NamedTuple):
    """What recall needs besides the store: the query, its vector and how vectors are searched.

    `vector` is a text if there is no query vector.
    """

    query: ParsedQuery
    vector: QueryVector | str
    vectors: VectorSearch
    waiting: WaitingVectors
    counts: TermCounts


class Recall:
    """One query on one view of the store."""

    def __init__(
        self, view: View, means: Means, filters: RecordFilters, options: RecallOptions
    ) -> None:
        self.view = view
        self.query = means.query
        self.floor = options.floor
        self.among = options.among
        self._options = options
        self._names = {folded(name) for name in self.query.names}
        self._now = from_micros(view.as_of)
        period = self.query.intent.period
        self.narrowing = Narrowing(view, filters, options, period, self._now)
        shelves = passages.shelves(view, self.narrowing.groups)
        self._text = TextChannel(
            view, means.counts, self.query.terms, shelves, self.narrowing.ended
        )
        self._vector: VectorChannel | None = None
        self._notices: tuple[str, ...] = ()
        if isinstance(means.vector, str):
            self._notices = (means.vector,)
        else:
            self._vector = VectorChannel(view, means.vectors, means.vector, shelves, means.waiting)

    def hits(self) -> RecallHits:
        """Return the best records above the floor."""
        scored = self.scored()
        relevant = [each for each in scored if each.relevance >= self.floor]
        found = self._live_first([_hit(*each) for each in self.ordered(relevant)])
        found += self._fill(found)
        return RecallHits(
            hits=tuple(found),
            trace=self._trace(len(scored), len(relevant)),
            considered=self._considered(scored, found) if self._options.explain else (),
        )

    def _live_first(self, hits: list[Hit]) -> list[Hit]:
        """Put ended facts last, unless the query is about the past."""
        if not self._options.include_retired or self.query.intent.period:
            return hits
        return sorted(hits, key=lambda hit: _has_ended(hit.record, self._now))

    def _considered(self, scored: Sequence[Scored], found: Sequence[Hit]) -> tuple[Considered, ...]:
        returned = {hit.record.id for hit in found}
        return tuple(
            Considered(
                kind=each.candidate.kind,
                record=each.candidate.record,
                relevance=each.relevance,
                base=each.base,
                fate=self._fate(each, returned),
            )
            for each in sorted(scored, key=lambda each: -each.base)
        )

    def _fate(self, each: Scored, returned: set[str]) -> str:
        if each.candidate.id in returned:
            return "returned"
        return "outranked" if each.relevance >= self.floor else "below_floor"

    def scored(self) -> list[Scored]:
        """Return scored candidates: search more until enough pass the filters, or no more exist."""
        limit, facts = self._options.limit, self.narrowing.groups == {ShelfGroup.FACTS}
        fewest = FEWEST if facts else FEWEST_PASSAGES
        count = max(fewest, min(limit * BROAD, limit + MOST_SPARE))
        while True:
            seqs = self._text.search(count) + (self._vector.search(count) if self._vector else [])
            found = allowed(self.view, seqs, self.narrowing)
            scored = self._score(found)
            passed = sum(len(each.passages) for each in found.values())
            if self.complete or self._enough(scored, all_allowed=passed == len(set(seqs))):
                return scored
            count *= 4

    @property
    def complete(self) -> bool:
        """Whether no more candidates exist."""
        vector = self._vector
        return self._text.complete and (vector is None or vector.exhausted(self.floor))

    def _enough(self, scored: Sequence[Scored], *, all_allowed: bool) -> bool:
        """Return whether enough candidates were found. If all passed, the next ones are worse."""
        relevant = sum(each.relevance >= self.floor for each in scored)
        return relevant >= self._options.limit or (all_allowed and len(scored) >= PLENTY)

    def _score(self, found: dict[str, RecallCandidate]) -> list[Scored]:
        candidates = list(with_neighbours(self.view, found, self.narrowing).values())
        matches = bm25.rank(self._text.weights, [each.document for each in candidates])
        cosines = self._similarities(candidates)
        scores = [
            rank.Scores(match.score, cosine, 1.0 if each.is_persons else self._others_weight)
            for match, cosine, each in zip(matches, cosines, candidates, strict=True)
        ]
        full = rank.full_match(self._text.weights.values())
        scale = self._vector.scale if self._vector else None
        relevances = [rank.relevance(each, full, scale) for each in scores]
        bases = rank.fused(scores, full)
        return [
            Scored(*each)
            for each in zip(candidates, matches, scores, relevances, bases, strict=True)
        ]

    def ordered(self, scored: Sequence[Scored]) -> list[tuple[Scored, float, dict[str, float]]]:
        """Return the best candidates with final scores and factors; repeats come last."""
        limit = self._options.limit
        able = [scored[at] for at in rank.contenders([each.base for each in scored], 2 * limit)]
        able.sort(key=lambda each: (-each.base, each.candidate.tie))
        bases = [each.base for each in able]
        judged: dict[int, tuple[Scored, float, dict[str, float]]] = {}
        known = 0

        def judge(at: int) -> float:
            nonlocal known
            if at == known:  # mostly these are enough; then each question reads many more
                known += 3 * known or max(2 * limit, rank.near_the_last(bases, limit))
                read_ahead(self.view, [each.candidate for each in able[at:known]])
            each, shifts = able[at], self._factors(able[at].candidate)
            final = each.base * (1 + sum(shifts.values()))
            judged[at] = each, final, shifts
            return final

        order = rank.best_first(bases, judge)
        best = rank.repeats_last(order, lambda at: able[at].candidate.distinct_terms, limit)
        return [judged[at] for at in best]

    def _similarities(self, candidates: Sequence[RecallCandidate]) -> list[float | None]:
        """Return the cosine of each candidate, mixed with the cosines of its neighbours."""
        if self._vector is None:
            return [None] * len(candidates)
        own = [passage.seq for each in candidates for passage in each.passages]
        around = {other.seq for each in candidates for other in each.neighbours.values()}
        known = self._vector.cosines([*own, *around])
        return [each.similarity(known) for each in candidates]

    @cached_property
    def _others_weight(self) -> float:
        """Return the weight of words that are not the user's own."""
        return others_weight(self.query.text)

    def _factors(self, candidate: RecallCandidate) -> dict[str, float]:
        record, names = candidate.record, self._names
        period = self.query.intent.period
        if not isinstance(record, Fact):
            return record_factors(record, self._now, period)
        named = bool(names) and any(folded(name) in names for name in record.entities)
        return rank.factors(
            record, self._now, named=named, period=period, signals=candidate.signals
        )

    def _fill(self, found: Sequence[Hit]) -> list[Hit]:
        """Fill free places, if requested: with facts linked to the hits, then with recent facts."""
        filled: list[Hit] = []
        for channel, requested in (
            (Channel.GRAPH, self._options.graph),
            (Channel.RECENT, self._options.recent),
        ):
            room = self._options.limit - len(found) - len(filled)
            if requested and room > 0:
                filled += self._more(channel, [*found, *filled], room)
        return filled

    def _more(self, channel: Channel, found: Sequence[Hit], room: int) -> list[Hit]:
        """Return up to `room` facts of a channel that are not among the hits."""
        there = {hit.record.id for hit in found}
        params = {**self.narrowing.params, "limit": room + len(there)}
        if channel is Channel.GRAPH:
            linked = {**params, "facts": json.dumps(sorted(there))}
            rows = self.view.rows("mentioning", linked, self.narrowing.state)
        else:
            newest = {**params, "before": HIGHEST}
            rows = self.view.rows("list_facts", newest, self.narrowing.state, "all")
        facts = [fact for fact in map(to_fact, rows) if fact.id not in there]
        return [_filler(channel, fact) for fact in facts[:room]]

    def _trace(self, candidates: int, relevant: int) -> Trace:
        embedded = self.query.embedded if self._vector else None
        return Trace(
            terms=tuple(self.query.terms),
            names=tuple(self.query.names),
            embedded=embedded,
            period=self.query.intent.period,
            candidates=candidates,
            below_floor=candidates - relevant,
            notices=self._notices,
        )


def _has_ended(record: Recalled, now: datetime) -> bool:
    """Return whether a record is a fact that is no longer true."""
    return isinstance(record, Fact) and record.ends_at is not None and record.ends_at <= now


def _hit(each: Scored, score: float, factors: dict[str, float]) -> Hit:
    candidate = each.candidate
    record = candidate.record
    why = Why(
        channel=Channel.MATCH,
        terms=each.match.terms,
        text=each.scores.text,
        cosine=each.scores.cosine,
        relevance=each.relevance,
        factors=factors,
        supersedes=record.supersedes if isinstance(record, Fact) else (),
    )
    passage = candidate.passage(each.match.passage if each.match.terms else candidate.nearest)
    return Hit(kind=candidate.kind, record=record, passage=passage, score=score, why=why)


def _filler(channel: Channel, fact: Fact) -> Hit:
    """Return the hit of a fact that does not match the query."""
    why = Why(channel=channel, terms={}, text=None, cosine=None, relevance=0.0, factors={})
    whole = Passage(0, len(fact.text), fact.text)
    return Hit(kind=TextKind.FACTS, record=fact, passage=whole, score=0.0, why=why)
