"""Recall: the stages from a query to hits.

query -> candidates of each channel -> their neighbours -> scores -> order -> hits
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from erstwhile.core.hits import Trace
from erstwhile.core.ids import HIGHEST
from erstwhile.core.kinds import State
from erstwhile.core.text import folded
from erstwhile.core.time import EPOCH, FOREVER, from_micros, to_micros
from erstwhile.facts.filters import Filters, text_params, wanted_state
from erstwhile.facts.rows import to_fact
from erstwhile.recall import rank
from erstwhile.recall.candidates import RecallCandidate, allowed, read_ahead, with_neighbours
from erstwhile.recall.channels import TextChannel, VectorChannel
from erstwhile.recall.hits import Channel, Considered, FactHits, Hit, RecallOptions, Why
from erstwhile.recall.parsed_query import ParsedQuery
from erstwhile.recall.term_counts import TermCounts
from erstwhile.recall.vector_search import QueryVector, VectorSearch
from erstwhile.search import bm25
from erstwhile.storage.view import View

FEWEST = 32
"""The lowest number of candidates of each channel. 64 gives equal results on LoCoMo and MADial."""
BROAD = 3
"""Candidates per requested hit. With 2, two in three hundred of the first twenty are lost."""
PLENTY = 1_000
"""The number of candidates after which the search ends, even with too few relevant ones."""
HELD = "held"
"""The state filter for facts that are live, or were live at some time of a period."""


class Scored(NamedTuple):
    """A candidate with its scores."""

    candidate: RecallCandidate
    match: bm25.Match
    scores: rank.Scores
    relevance: float
    base: float


class Recall:
    """One query on one view of the store. `vector` is a text if there is no query vector."""

    def __init__(
        self,
        view: View,
        query: ParsedQuery,
        vector: QueryVector | str,
        vectors: VectorSearch,
        counts: TermCounts,
        filters: Filters,
        options: RecallOptions,
    ) -> None:
        self.view = view
        self.query = query
        self.floor = options.floor
        self._options = options
        self._names = {folded(name) for name in self.query.names}
        self._now = from_micros(view.as_of)
        self.state = self._chosen_state(filters)
        self.filters = self._filter_params(filters)
        scopes: dict[int, int] = dict(view.rows("visible_scopes", {}))
        ended = self.state != State.LIVE or view.is_past or filters.get("as_of") is not None
        self._text = TextChannel(view, counts, self.query.terms, scopes, ended)
        self._vector: VectorChannel | None = None
        self._notices: tuple[str, ...] = ()
        if isinstance(vector, str):
            self._notices = (vector,)
        else:
            self._vector = VectorChannel(view, vectors, vector, scopes)

    def hits(self) -> FactHits:
        """Return the best facts above the floor."""
        scored = self.scored()
        relevant = [each for each in scored if each.relevance >= self.floor]
        found = [_hit(*each) for each in self.ordered(relevant)]
        found += self._fill(found)
        return FactHits(
            hits=tuple(found),
            trace=self._trace(len(scored), len(relevant)),
            considered=self._considered(scored, found) if self._options.explain else (),
        )

    def _considered(self, scored: Sequence[Scored], found: Sequence[Hit]) -> tuple[Considered, ...]:
        returned = {hit.fact.id for hit in found}
        return tuple(
            Considered(
                fact=each.candidate.fact,
                relevance=each.relevance,
                base=each.base,
                fate=self._fate(each, returned),
            )
            for each in sorted(scored, key=lambda each: -each.base)
        )

    def _fate(self, each: Scored, returned: set[str]) -> str:
        if each.candidate.fact.id in returned:
            return "returned"
        return "outranked" if each.relevance >= self.floor else "below_floor"

    def scored(self) -> list[Scored]:
        """Return scored candidates: search more until enough pass the filters, or no more exist."""
        count = max(FEWEST, self._options.limit * BROAD)
        while True:
            seqs = self._text.search(count) + (self._vector.search(count) if self._vector else [])
            found = allowed(self.view, seqs, self.filters, self.state)
            scored = self._score(found)
            if self.complete or self._enough(scored, all_allowed=len(found) == len(set(seqs))):
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

    def _score(self, found: dict[int, RecallCandidate]) -> list[Scored]:
        candidates = list(with_neighbours(self.view, found, self.filters, self.state).values())
        matches = bm25.rank(self._text.weights, [each.document for each in candidates])
        scores = [
            rank.Scores(match.score, cosine)
            for match, cosine in zip(matches, self._similarities(candidates), strict=True)
        ]
        bases = rank.FUSIONS[self._options.fusion](scores)
        return [
            Scored(*each)
            for each in zip(
                candidates, matches, scores, self._relevances(scores), bases, strict=True
            )
        ]

    def ordered(self, scored: Sequence[Scored]) -> list[tuple[Scored, float, dict[str, float]]]:
        """Return the best candidates with final scores and factors; repeats come last."""
        limit = self._options.limit
        able = [scored[at] for at in rank.contenders([each.base for each in scored], 2 * limit)]
        able.sort(key=lambda each: (-each.base, each.candidate.seq))
        step = max(limit * 3 // 2, 1)
        judged: dict[int, tuple[Scored, float, dict[str, float]]] = {}

        def judge(at: int) -> float:
            if at % step == 0:
                read_ahead(self.view, [each.candidate for each in able[at : at + step]])
            each, shifts = able[at], self._factors(able[at].candidate)
            final = each.base * (1 + sum(shifts.values()))
            judged[at] = each, final, shifts
            return final

        order = rank.best_first([each.base for each in able], judge)
        terms = [frozenset(each.candidate.terms) for each in able]
        return [judged[at] for at in rank.repeats_last(order, terms, limit)]

    def _similarities(self, candidates: Sequence[RecallCandidate]) -> list[float | None]:
        """Return the cosine of each candidate, mixed with the cosines of its neighbours."""
        if self._vector is None:
            return [None] * len(candidates)
        around = {seq for each in candidates for seq, _ in each.neighbours.values()}
        known = self._vector.cosines([*(each.seq for each in candidates), *around])
        return [each.similarity(known) for each in candidates]

    def _relevances(self, scores: Sequence[rank.Scores]) -> list[float]:
        """Return the relevance of each: the weight of its matching terms, or its nearness."""
        full = rank.full_match(self._text.weights.values())
        vector = self._vector
        return [
            text / full
            if vector is None or cosine is None
            else max(text / full, vector.nearness(cosine))
            for text, cosine in scores
        ]

    def _factors(self, candidate: RecallCandidate) -> dict[str, float]:
        fact, names = candidate.fact, self._names
        named = bool(names) and any(folded(name) in names for name in fact.entities)
        period, signals = self.query.intent.period, candidate.signals
        return rank.factors(fact, self._now, named=named, period=period, signals=signals)

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
        there = {hit.fact.id for hit in found}
        params = {**self.filters, "limit": room + len(there)}
        if channel is Channel.GRAPH:
            linked = {**params, "facts": json.dumps(sorted(there))}
            rows = self.view.rows("mentioning", linked, self.state)
        else:
            rows = self.view.rows("list_facts", {**params, "before": HIGHEST}, self.state, "all")
        facts = [fact for fact in map(to_fact, rows) if fact.id not in there]
        return [Hit(fact=fact, score=0.0, why=_filler_why(channel)) for fact in facts[:room]]

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

    def _chosen_state(self, filters: Filters) -> str:
        """Return the state filter: live facts, and ended ones if the query names a period."""
        if self._options.include_retired:
            return HELD
        states = "state" in filters or filters.get("deleted")
        unfiltered = not states and filters.get("as_of") is None
        return HELD if unfiltered and self.query.intent.period else wanted_state(filters)

    def _filter_params(self, filters: Filters) -> dict[str, str | int | None]:
        start, end = self.query.intent.period or (EPOCH, self._now)
        return {
            **text_params(filters),
            "since": self.view.parse(filters.get("since"), "since", default=EPOCH),
            "until": self.view.parse(filters.get("until"), "until", default=FOREVER),
            "held_from": to_micros(start),
            "held_to": to_micros(end),
        }


def _hit(each: Scored, score: float, factors: dict[str, float]) -> Hit:
    why = Why(
        channel=Channel.MATCH,
        terms=each.match.terms,
        text=each.scores.text,
        cosine=each.scores.cosine,
        relevance=each.relevance,
        factors=factors,
        supersedes=each.candidate.fact.supersedes,
    )
    return Hit(fact=each.candidate.fact, score=score, why=why)


def _filler_why(channel: Channel) -> Why:
    return Why(channel=channel, terms={}, text=None, cosine=None, relevance=0.0, factors={})
