"""Recall: the stages from a query to hits.

query -> passages of each channel -> their records and neighbours -> scores -> order -> hits
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from math import inf
from typing import NamedTuple

from erstwhile.core.ids import MAX_ID
from erstwhile.core.kinds import TextKind
from erstwhile.core.results import Trace
from erstwhile.core.time import EPOCH, FOREVER, from_micros
from erstwhile.facts.fact import Fact, to_fact
from erstwhile.recall import rank
from erstwhile.recall.anchor import Anchor
from erstwhile.recall.candidates import (
    RecallCandidate,
    read_ahead,
    select_candidates,
    with_neighbours,
)
from erstwhile.recall.channels import TermStatistics, TextChannel, VectorChannel
from erstwhile.recall.filters import CandidateFilters, RecallOptions, RecordFilters
from erstwhile.recall.hits import Channel, Considered, Hit, Passage, RecallHits, Why
from erstwhile.recall.query import ParsedQuery, QueryContext, others_weight, parse_query
from erstwhile.recall.relevance import MemorySize, calibration
from erstwhile.search import bm25
from erstwhile.search.periods import Period
from erstwhile.search.terms import terms
from erstwhile.search.topic import TOPIC, asks_for_everything, proper_names, topic_weights
from erstwhile.storage import passages
from erstwhile.storage.passages import PartitionGroup
from erstwhile.storage.view import View

MIN_FACTS = 32
MIN_PASSAGES = 48
"""The lowest number of candidates of each channel, among facts and among other records. 64 facts
give equal results on LoCoMo and MADial; with 32 passages, BEAM loses a hundredth."""
BROAD = 3
MAX_SPARE = 100
"""Candidates of each channel: three per requested hit, and at most so many more than requested.
With two per hit, two in three hundred of the first twenty are lost."""
PLENTY = 1_000
"""The number of candidates after which the search ends, even with too few relevant ones."""


class Scored(NamedTuple):
    """A candidate with its scores."""

    candidate: RecallCandidate
    match: bm25.Match
    scores: rank.Scores
    cosine: float | None
    relevance: float
    base: float


class Recall:
    """One query on one view of the store."""

    def __init__(
        self, view: View, context: QueryContext, filters: RecordFilters, options: RecallOptions
    ) -> None:
        self._view = view
        self._options = options
        if context.parsed is None:
            view.prefetch("visible_partitions", {})
        self._query = context.parsed or parse_query(view, context.text)
        self._now = from_micros(view.as_of)
        self._anchor = _chosen(context.anchor, self._query.period)
        self._period = self._anchor.period if self._anchor else self._query.period
        self.filters = CandidateFilters(view, filters, options, self._period, self._now)
        partitions = passages.partitions(view, self.filters.groups)
        searched = self._query.terms
        statistics = TermStatistics(
            view, context.counts, searched, partitions, ended=self.filters.includes_ended
        )
        importance = topic_weights(searched, dated=self._query.period is not None)
        self._subject = _subject(self._query, statistics, importance, is_past=view.is_past)
        if asks_for_everything(searched, self._subject):
            importance = {term: float(term in self._subject) for term in searched}
        self._text = TextChannel(view, statistics, importance)
        self._unknown, self._memory = _known_memory(
            view, self._query.text, statistics, has_subject=bool(self._subject)
        )
        self._vector: VectorChannel | None = None
        self._notices: tuple[str, ...] = ()
        if isinstance(context.vector, str):
            self._notices = (context.vector,)
        elif context.vectors is not None:
            self._vector = VectorChannel(
                view, context.vectors, context.vector, partitions, context.unembedded
            )
        self._passages = 0 if view.is_past else statistics.passages
        self._calibration = calibration(self._vector.model if self._vector else None)

        if not view.viewer.everything and not any(each.passages for each in partitions):
            self._notices += (f"nothing to search is stored for {view.viewer.scope}",)

    def hits(self) -> RecallHits:
        """Return the best records above the floor."""
        scored = self.scored()
        relevant = self._relevant(scored)
        found = [_hit(*each) for each in self._ordered(relevant)]
        if self._options.include_retired and not self._period:
            found.sort(
                key=lambda hit: (
                    isinstance(hit.record, Fact) and (hit.record.ends_at or FOREVER) <= self._now
                )
            )
        found += self._fill(found)
        trace = Trace(
            terms=tuple(self._query.terms),
            names=tuple(self._query.names),
            embedded=self._query.embedded if self._vector else None,
            period=self._period,
            anchor=self._anchor.id if self._anchor else None,
            candidates=len(scored),
            below_floor=len(scored) - len(relevant),
            unknown=self._unknown,
            passages=self._passages,
            notices=self._notices,
        )
        considered = self._considered(scored, found) if self._options.explain else ()
        return RecallHits(hits=tuple(found), trace=trace, considered=considered)

    def _relevant(self, scored: Sequence[Scored]) -> list[Scored]:
        """Return the candidates above the floor; none if the best one is too weak."""
        options = self._options
        if max((each.relevance for each in scored), default=0.0) < options.best:
            return []
        return [each for each in scored if each.relevance >= options.lowest and self.matches(each)]

    def matches(self, scored: Scored) -> bool:
        """Return whether a word or its meaning speaks for a record; with a floor, all count."""
        return scored.base > 0 or self._options.floor is not None

    def scored(self) -> list[Scored]:
        """Return scored candidates: search more until enough pass the filters, or no more exist."""
        limit, only_facts = (
            self._options.enough or self._options.limit,
            self.filters.groups == {PartitionGroup.FACTS},
        )
        fewest = MIN_FACTS if only_facts else MIN_PASSAGES
        count = max(fewest, min(limit * BROAD, limit + MAX_SPARE))
        while True:
            channels = (
                self._text.search(count),
                self._vector.search(count) if self._vector else [],
            )
            seqs = {*chain(*channels)}
            found = select_candidates(self._view, chain(*channels), self.filters)
            scored = self._score(found)
            relevant = self._relevant(scored)
            if self.complete or len(relevant) >= limit:
                return scored
            if scored and not relevant and self._options.floor is None:  # the next ones are worse
                return scored
            passed = sum(len(each.passages) for each in found.values())
            plenty = len(scored) >= PLENTY or self._are_near(relevant, channels, count // 2)
            if passed == len(seqs) and plenty:  # the next ones are worse
                return scored
            count *= 4

    def _are_near(
        self, relevant: Sequence[Scored], channels: Sequence[Sequence[int]], count: int
    ) -> bool:
        """Return whether each relevant record has a passage in the first `count` of a channel."""
        near = {seq for seqs in channels for seq in seqs[:count]}
        own = ({passage.seq for passage in each.candidate.passages} for each in relevant)
        return self._options.floor is None and not any(map(near.isdisjoint, own))

    @property
    def complete(self) -> bool:
        """Whether no more candidates exist."""
        farthest = -inf if self._vector is None else self._vector.farthest
        return self._text.complete and (
            farthest == -inf or self._relevance_at(farthest) < self._options.lowest
        )

    def _relevance_at(self, cosine: float) -> float:
        """Return the relevance of a record with this cosine and without a word of the query."""
        measure = self._calibration.at(self._memory)
        return measure.relevance(measure.evidence(0.0, self._meaning(cosine)))

    def _score(self, found: dict[str, RecallCandidate]) -> list[Scored]:
        candidates = list(with_neighbours(self._view, found, self.filters).values())
        documents = [
            bm25.Document(
                [passage.terms for passage in each.passages],
                [neighbour.terms for neighbour in each.neighbours.values()],
            )
            for each in candidates
        ]
        matches = bm25.rank(self._text.weights, documents)
        cosines = self._cosines(candidates)
        meanings = [self._meaning(cosine) for cosine in cosines]
        nearest = max((each for each in meanings if each is not None), default=0.0)
        self._memory = self._memory._replace(nearest=max(nearest, 0.0))
        full = rank.full_match(self._text.weights.values())
        others = others_weight(self._query.text)
        scores = [
            rank.Scores(
                words=match.score / full,
                meaning=meaning,
                weight=each.weight(others, self._subject),
            )
            for match, each, meaning in zip(matches, candidates, meanings, strict=True)
        ]
        measure = self._calibration.at(self._memory)
        bases = rank.evidence(scores, measure)
        relevances = map(measure.relevance, bases)
        return list(map(Scored, candidates, matches, scores, cosines, relevances, bases))

    def _meaning(self, cosine: float | None) -> float | None:
        """Return a cosine in standard deviations above that of unrelated texts."""
        if cosine is None or self._vector is None:
            return None
        return self._vector.scale.deviations(cosine)

    def _cosines(self, candidates: Sequence[RecallCandidate]) -> list[float | None]:
        if self._vector is None:
            return [None] * len(candidates)
        own = [passage.seq for each in candidates for passage in each.passages]
        around = {other.seq for each in candidates for other in each.neighbours.values()}
        known = self._vector.cosines([*own, *around])
        return [each.similarity(known) for each in candidates]

    def _ordered(self, scored: Sequence[Scored]) -> list[tuple[Scored, float, dict[str, float]]]:
        """Return the best candidates with final scores and factors; repeats come last."""
        limit = self._options.limit
        able = [scored[at] for at in rank.contenders([each.base for each in scored], 2 * limit)]
        able.sort(key=lambda each: (-each.base, each.candidate.tie))
        bases = [each.base for each in able]
        final: dict[int, tuple[Scored, float, dict[str, float]]] = {}
        lead = 1 + rank.MAX_SHIFT
        near = sum(base * lead > bases[min(limit, len(bases)) - 1] for base in bases)
        known = max(limit, near) if able else 0
        read_ahead(self._view, [each.candidate for each in able[:known]])

        def final_score(at: int) -> float:
            nonlocal known
            if at == known:  # the first batch is mostly enough; each further one is larger
                known *= 2
                read_ahead(self._view, [each.candidate for each in able[at:known]])
            record, signals = able[at].candidate.record, able[at].candidate.signals
            shifts = rank.factors(record, self._now, period=self._period, signals=signals)
            score = able[at].base * (1 + sum(shifts.values()))
            final[at] = able[at], score, shifts
            return score

        order = rank.best_first(bases, final_score)
        best = rank.repeats_last(
            order,
            lambda at: _distinct_terms(able[at].candidate),
            limit,
            frozenset(self._query.terms),
        )
        return [final[at] for at in best]

    def _considered(self, scored: Sequence[Scored], found: Sequence[Hit]) -> tuple[Considered, ...]:
        returned = {hit.record.id for hit in found}
        relevant = {each.candidate.id for each in self._relevant(scored)}

        def status(each: Scored) -> str:
            if each.candidate.id in returned:
                return "returned"
            return "outranked" if each.candidate.id in relevant else "below_floor"

        return tuple(
            Considered(
                kind=each.candidate.kind,
                record=each.candidate.record,
                relevance=each.relevance,
                score=each.base,
                status=status(each),
            )
            for each in sorted(scored, key=lambda each: -each.base)
        )

    def _fill(self, found: Sequence[Hit]) -> list[Hit]:
        """Fill free places, if requested: with facts linked to the hits, then with recent facts."""
        filled: list[Hit] = []
        for channel, requested, statement, *order in (
            (Channel.GRAPH, self._options.graph, "mentioning"),
            (Channel.RECENT, self._options.recent, "list_facts", "all"),
        ):
            there = {hit.record.id for hit in (*found, *filled)}
            room = self._options.limit - len(there)
            if not requested or room <= 0:
                continue
            params = {
                **self.filters.params,
                "limit": self._options.limit,
                "facts": json.dumps(sorted(there)),
                "before": MAX_ID,
            }
            rows = self._view.rows(statement, params, self.filters.state, *order)
            why = Why(
                channel=channel,
                terms={},
                words=0.0,
                cosine=None,
                meaning=None,
                weight=1.0,
                score=0.0,
                factors={},
            )
            for fact in [each for each in map(to_fact, rows) if each.id not in there][:room]:
                whole = Passage(0, len(fact.text), fact.text)
                filled.append(
                    Hit(kind=TextKind.FACTS, record=fact, passage=whole, relevance=0.0, why=why)
                )
        return filled


def _chosen(anchor: Anchor | None, named: Period | None) -> Anchor | None:
    """Return the period by an event, unless the query names one by its date."""
    return anchor if named is None or named[0] <= EPOCH else None


def _subject(
    query: ParsedQuery,
    statistics: TermStatistics,
    importance: Mapping[str, float],
    *,
    is_past: bool,
) -> frozenset[str]:
    """Return the terms of whom or what a query is about: known entities, and common names.

    A common name is in most texts, such as that of a person who talks, and has a capital letter, if
    its script has any. Past term frequencies are not kept.
    """
    names = set(chain.from_iterable(map(terms, query.names)))
    if not is_past and any(map(statistics.is_common, query.terms)):
        written = (word for word in query.text.split() if not word.islower())
        names |= set(filter(statistics.is_common, chain.from_iterable(map(terms, written))))
    return frozenset(name for name in names if importance.get(name) == TOPIC)


def _distinct_terms(candidate: RecallCandidate) -> frozenset[str]:
    """Return the terms for de-duplication. Only facts are de-duplicated."""
    if candidate.kind is not TextKind.FACTS:
        return frozenset((candidate.id,))
    return frozenset(candidate.passages[0].terms.split())


def _hit(each: Scored, score: float, factors: dict[str, float]) -> Hit:
    candidate = each.candidate
    record = candidate.record
    why = Why(
        channel=Channel.MATCH,
        terms=_own_terms(candidate, each.match),
        words=min(each.scores.words, 1.0),
        cosine=each.cosine,
        meaning=each.scores.meaning,
        weight=each.scores.weight,
        score=score,
        factors=factors,
        supersedes=record.supersedes if isinstance(record, Fact) else (),
    )
    best = candidate.passages[each.match.passage if each.match.terms else candidate.nearest]
    end = best.start + best.length
    passage = Passage(best.start, end, record.searched[best.start : end])
    return Hit(
        kind=candidate.kind, record=record, passage=passage, relevance=each.relevance, why=why
    )


def _own_terms(candidate: RecallCandidate, match: bm25.Match) -> Mapping[str, float]:
    """Return the query terms in the record itself, with their shares."""
    if not candidate.neighbours:
        return match.terms
    own = f" {candidate.passages[match.passage].terms} "
    return {term: share for term, share in match.terms.items() if f" {term} " in own}


def _known_memory(
    view: View, query: str, statistics: TermStatistics, *, has_subject: bool
) -> tuple[tuple[str, ...], MemorySize]:
    """Return the names in a query that occur nowhere, and what is known of the memory.

    The past size of a memory is not kept, so a past one is always taken as small.
    """
    if view.is_past:
        return (), MemorySize(0.0)
    names = proper_names(query)
    unknown = tuple(name for name in names if statistics.containing.keys().isdisjoint(terms(name)))
    share = len(unknown) / max(len(names), 1)
    return unknown, MemorySize.of(statistics.passages, share, has_subject=has_subject)
