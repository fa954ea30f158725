"""Recall: from a question to the facts that matter, each stage handing a value to the next.

question -> candidates of each channel -> what stands around them -> scores -> order -> hits
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
from erstwhile.recall.candidates import Candidate, allowed, read_ahead, with_neighbours
from erstwhile.recall.channels import TextChannel, VectorChannel
from erstwhile.recall.hits import Channel, Considered, FactHits, Hit, Options, Why
from erstwhile.recall.question import Question
from erstwhile.recall.term_counts import TermCounts
from erstwhile.recall.vector_search import Meaning, VectorSearch
from erstwhile.search import bm25
from erstwhile.storage.view import View

FEWEST = 32
"""Candidates asked of each channel, at least: LoCoMo and MADial find the same with 64."""
BROAD = 3
"""And so many times what was asked for: twice loses two in three hundred of the first twenty."""
PLENTY = 1_000
"""So many candidates settle it, though fewer of them are relevant than were asked for."""
HELD = "held"
"""The state of facts that are live, or were at some moment of a period."""


class Scored(NamedTuple):
    """A candidate with what speaks for it."""

    candidate: Candidate
    match: bm25.Match
    scores: rank.Scores
    relevance: float
    base: float


class Recall:
    """One question on one view of the store."""

    def __init__(
        self,
        view: View,
        question: Question,
        meaning: Meaning | str,
        vectors: VectorSearch,
        counts: TermCounts,
        filters: Filters,
        options: Options,
    ) -> None:
        self.view = view
        self.question = question
        self.floor = options.floor
        self._options = options
        self._names = {folded(name) for name in self.question.names}
        self._now = from_micros(view.as_of)
        self.state = self._chosen_state(filters)
        self.filters = self._filter_params(filters)
        scopes: dict[int, int] = dict(view.rows("visible_scopes", {}))
        ended = self.state != State.LIVE or view.is_past or filters.get("as_of") is not None
        self._text = TextChannel(view, counts, self.question.terms, scopes, ended)
        self._vector: VectorChannel | None = None
        self._notices: tuple[str, ...] = ()
        if isinstance(meaning, str):
            self._notices = (meaning,)
        else:
            self._vector = VectorChannel(view, vectors, meaning, scopes)

    def hits(self) -> FactHits:
        scored = self.scored()
        relevant = [each for each in scored if each.relevance >= self.floor]
        found = [_hit(*each) for each in self.ordered(relevant)]
        found += self._filling(found)
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
        """Enough candidates, if there are enough: the filter is part of the search."""
        count = max(FEWEST, self._options.limit * BROAD)
        while True:
            seqs = self._text.search(count) + (self._vector.search(count) if self._vector else [])
            found = allowed(self.view, seqs, self.filters, self.state)
            scored = self._compared(found)
            if self.complete or self._enough(scored, all_allowed=len(found) == len(set(seqs))):
                return scored
            count *= 4

    @property
    def complete(self) -> bool:
        """Whether no more candidates can be found."""
        vector = self._vector
        return self._text.complete and (vector is None or vector.spent(self.floor))

    def _enough(self, scored: Sequence[Scored], *, all_allowed: bool) -> bool:
        """If none was left out, those that come next are worse than all these: few help."""
        relevant = sum(each.relevance >= self.floor for each in scored)
        return relevant >= self._options.limit or (all_allowed and len(scored) >= PLENTY)

    def _compared(self, found: dict[int, Candidate]) -> list[Scored]:
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
        """The best, with their final scores and the factors in them; repeats come last."""
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
        return [judged[at] for at in rank.apart(order, terms, limit)]

    def _similarities(self, candidates: Sequence[Candidate]) -> list[float | None]:
        """Each one's similarity to the question, mixed with that of what stands around it."""
        if self._vector is None:
            return [None] * len(candidates)
        around = {seq for each in candidates for seq, _ in each.around.values()}
        known = self._vector.cosines([*(each.seq for each in candidates), *around])
        return [each.similarity(known) for each in candidates]

    def _relevances(self, scores: Sequence[rank.Scores]) -> list[float]:
        """How well each matches in itself: the weight of the words it holds, or its nearness."""
        whole = rank.whole(self._text.weights.values())
        vector = self._vector
        return [
            text / whole
            if vector is None or cosine is None
            else max(text / whole, vector.nearness(cosine))
            for text, cosine in scores
        ]

    def _factors(self, candidate: Candidate) -> dict[str, float]:
        fact, names = candidate.fact, self._names
        named = bool(names) and any(folded(name) in names for name in fact.entities)
        period, signals = self.question.intent.period, candidate.signals
        return rank.factors(fact, self._now, named=named, period=period, signals=signals)

    def _filling(self, found: Sequence[Hit]) -> list[Hit]:
        """Only when asked, and only what is left: facts linked to the hits, then recent ones."""
        filled: list[Hit] = []
        for channel, wanted in (
            (Channel.GRAPH, self._options.graph),
            (Channel.RECENT, self._options.recent),
        ):
            room = self._options.limit - len(found) - len(filled)
            if wanted and room > 0:
                filled += self._tail(channel, [*found, *filled], room)
        return filled

    def _tail(self, channel: Channel, found: Sequence[Hit], room: int) -> list[Hit]:
        there = {hit.fact.id for hit in found}
        wanted = {**self.filters, "limit": room + len(there)}
        if channel is Channel.GRAPH:
            linked = {**wanted, "facts": json.dumps(sorted(there))}
            rows = self.view.rows("mentioning", linked, self.state)
        else:
            rows = self.view.rows("list_facts", {**wanted, "before": HIGHEST}, self.state, "all")
        facts = [fact for fact in map(to_fact, rows) if fact.id not in there]
        return [Hit(fact=fact, score=0.0, why=_filled_by(channel)) for fact in facts[:room]]

    def _trace(self, candidates: int, relevant: int) -> Trace:
        embedded = self.question.embedded if self._vector else None
        return Trace(
            terms=tuple(self.question.terms),
            names=tuple(self.question.names),
            embedded=embedded,
            period=self.question.intent.period,
            candidates=candidates,
            below_floor=candidates - relevant,
            notices=self._notices,
        )

    def _chosen_state(self, filters: Filters) -> str:
        """Asked plainly, what is live; asked of the past, also what held then."""
        if self._options.include_retired:
            return HELD
        plain = "state" not in filters and filters.get("as_of") is None
        return HELD if plain and self.question.intent.period else wanted_state(filters)

    def _filter_params(self, filters: Filters) -> dict[str, str | int | None]:
        start, end = self.question.intent.period or (EPOCH, self._now)
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


def _filled_by(channel: Channel) -> Why:
    return Why(channel=channel, terms={}, text=None, cosine=None, relevance=0.0, factors={})
