"""The expected answer of recall, calculated from all visible records with `exact.py`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import erstwhile
from erstwhile.core.ports import Embedder
from erstwhile.recall import rank
from erstwhile.recall.candidates import REACH
from erstwhile.recall.channels import _COMMON, _ENOUGH, _OTHERS
from erstwhile.recall.models import DEFAULT_SCALE, SimilarityScale, measure_scale
from erstwhile.recall.query import others_weight
from erstwhile.recall.rank import factors
from erstwhile.recall.relevance import STRONG, WEAK, MemorySize, calibration
from erstwhile.search.bm25 import idf
from erstwhile.search.terms import terms
from erstwhile.search.topic import TOPIC, proper_names, topic_weights
from erstwhile.storage.passages import PartitionGroup, partitions
from tests.search import exact


@dataclass(frozen=True)
class Expected:
    id: str
    score: float


class Row(NamedTuple):
    """A passage in the tables, with its vector and whether its record can be seen at all."""

    record: str
    number: int
    terms: str
    vector: bytes | None
    partition: int
    conversation: str | None
    position: int | None
    open: bool
    asks: int


def expected_facts(
    memory: erstwhile.Memory,
    query: str,
    embedder: Embedder | None = None,
    **filters: Any,
) -> list[Expected]:
    """Return the facts above the floor, best first. The query must name no period."""
    trace = memory.recall(query).trace
    now = memory._access.clock.now()

    def shift(fact: erstwhile.Fact) -> float:
        return sum(rank.factors(fact, now).values())

    visible = {fact.id: fact for fact in memory.facts.list(limit=1_000, **filters)}
    seen = [fact.id for fact in memory.facts.list(state="any", limit=1_000) if _is_open(fact)]
    search = _Search(memory, PartitionGroup.FACTS, seen, query, trace, embedder)
    shifts = {id: shift(fact) for id, fact in visible.items()}
    return _repeats_last(search.best(shifts, dict.fromkeys(visible, 1.0)), search.is_repeat)


def expected_messages(
    memory: erstwhile.Memory, query: str, embedder: Embedder | None = None
) -> list[Expected]:
    """Return the messages above the floor, best first. The query must name no period."""
    trace = memory.recall(query).trace
    now = memory._access.clock.now()
    visible = {
        message.id: message
        for conversation in memory.conversations.list(limit=1_000)
        for message in memory.conversations.messages(conversation.id, limit=1_000)
    }
    search = _Search(memory, PartitionGroup.MESSAGES, list(visible), query, trace, embedder)
    shifts = {id: sum(factors(message, now).values()) for id, message in visible.items()}
    others = others_weight(query)
    weights = {id: 1.0 if message.role == "user" else others for id, message in visible.items()}
    return search.best(shifts, weights)


def _is_open(fact: erstwhile.Fact) -> bool:
    return fact.retired_at is None and fact.trust is erstwhile.types.Trust.TRUSTED


class _Search:
    """One query on all records of a group. `seen` are the visible records whose terms count."""

    def __init__(
        self,
        memory: erstwhile.Memory,
        group: PartitionGroup,
        seen: Sequence[str],
        query: str,
        trace: erstwhile.types.Trace,
        embedder: Embedder | None,
    ) -> None:
        self._stored = _stored(memory)
        held = [set(passage.terms.split()) for id in seen for passage in self._stored[id].passages]
        counted = memory._access.ask(lambda view: partitions(view, [group]))
        total = sum(partition.passages for partition in counted) + _OTHERS
        self._weights = {
            term: weight * idf(sum(term in terms for terms in held), total)
            for term, weight in topic_weights(trace.terms).items()
            if weight == TOPIC or any(term in terms for terms in held)
        }
        names = {term for name in trace.names for term in terms(name)}
        capital = {term for word in query.split() if not word.islower() for term in terms(word)}
        self._subject = frozenset(
            term
            for term, weight in topic_weights(trace.terms).items()
            if weight == TOPIC
            and (term in names or (term in capital and self._is_common(term, held, total)))
        )
        self._about_the_assistant = others_weight(query) == 1.0
        self._memory = MemorySize.of(
            total - _OTHERS, _unknown_share(query, held), has_subject=bool(self._subject)
        )
        self._calibration = calibration(None if embedder is None else embedder.model)
        self._question = _question(embedder, trace.embedded)
        self._scale = _scale(embedder, memory) if self._question is not None else None

    def best(self, shifts: Mapping[str, float], speakers: Mapping[str, float]) -> list[Expected]:
        """Return the relevant records; `shifts` has the factors of all that may be returned."""
        stored = [self._stored[id] for id in shifts]
        compared = exact.compare(self._weights, self._question, stored, rank.NEIGHBOUR_SHARE)
        full = rank.full_match(self._weights.values())
        meanings = [self._meaning(each.cosine) for each in compared]
        scores = [
            rank.Scores(
                each.match.score / full,
                meaning,
                speakers[each.id] * self._weight(self._stored[each.id]),
            )
            for each, meaning in zip(compared, meanings, strict=True)
        ]
        bases = rank.evidence(scores, self._calibration.at(self._memory))
        nearest = max((each for each in meanings if each is not None), default=0.0)
        memory = self._memory._replace(nearest=max(nearest, 0.0))
        relevances = [*map(self._calibration.at(memory).relevance, bases)]
        if max(relevances, default=0.0) < STRONG:
            return []
        final = [
            Expected(each.id, base * (1 + shifts[each.id]))
            for each, base, relevance in zip(compared, bases, relevances, strict=True)
            if relevance >= WEAK
        ]
        final.sort(key=lambda each: -each.score)
        return final

    @staticmethod
    def _is_common(term: str, held: Sequence[set[str]], total: int) -> bool:
        passages = total - _OTHERS
        return passages >= _ENOUGH and sum(term in each for each in held) > _COMMON * passages

    def _weight(self, record: exact.Stored) -> float:
        """Return the weight of the length and the form of a record, and of whom it is about."""
        weight = rank.telling_weight(record.asks)
        if not self._about_the_assistant:
            weight *= rank.length_weight(len(record.passages))
        if self._subject and record.is_short:
            weight *= rank.subject_weight(record.beginning.terms, self._subject)
        return weight

    def _meaning(self, cosine: float | None) -> float | None:
        return None if cosine is None or self._scale is None else self._scale.deviations(cosine)

    def is_repeat(self, one: str, other: str) -> bool:
        """Return whether two records begin alike."""
        first, second = (self._stored[id].beginning.terms.split() for id in (one, other))
        return rank._is_repeat(frozenset(first), frozenset(second))


def _unknown_share(query: str, held: Sequence[set[str]]) -> float:
    """Return the share of the names in a query of which no record has a term."""
    names = proper_names(query)
    unknown = [name for name in names if all(each.isdisjoint(terms(name)) for each in held)]
    return len(unknown) / max(len(names), 1)


def _repeats_last(
    final: Sequence[Expected], is_repeat: Callable[[str, str], bool]
) -> list[Expected]:
    kept: list[Expected] = []
    repeats: list[Expected] = []
    for each in final:
        same = any(is_repeat(each.id, other.id) for other in kept)
        (repeats if same else kept).append(each)
    return kept + repeats


def _scale(embedder: Embedder | None, memory: erstwhile.Memory) -> SimilarityScale:
    """Return the scale of the model. It is measured when the first text is embedded."""
    embedded = any(row.vector is not None for row in _rows(memory))
    if embedder is None or not embedded:
        return DEFAULT_SCALE
    size = embedder.dimensions
    return measure_scale(embedder, size)


def _question(embedder: Embedder | None, text: str | None) -> NDArray[np.float32] | None:
    if embedder is None or text is None:
        return None
    return np.asarray(embedder.embed([text], query=True)[0])


def _stored(memory: erstwhile.Memory) -> dict[str, exact.Stored]:
    """Read every record with its neighbours from the tables, by id."""
    passages: dict[str, list[Row]] = defaultdict(list)
    for row in _rows(memory):
        passages[row.record].append(row)
    alone = {
        id: exact.Stored(
            id, [exact.StoredPassage(row.terms, row.vector) for row in rows], asks=rows[0].asks
        )
        for id, rows in passages.items()
    }
    beginnings = [rows[0] for rows in passages.values()]
    return {
        row.record: exact.Stored(
            row.record, alone[row.record].passages, _around(row, beginnings, alone), row.asks
        )
        for row in beginnings
    }


def _around(
    row: Row, beginnings: Sequence[Row], alone: Mapping[str, exact.Stored]
) -> dict[int, exact.Stored]:
    """Return the neighbours of a short record."""
    if row.position is None or not alone[row.record].is_short:
        return {}
    place = row.partition, row.conversation
    distances = {
        other.position - row.position: other.record
        for other in beginnings
        if other.position is not None
        and (other.partition, other.conversation) == place
        and other.open
    }
    return {
        distance: alone[record]
        for distance, record in distances.items()
        if 0 < abs(distance) <= REACH
    }


def _rows(memory: erstwhile.Memory) -> list[Row]:
    sql = """
        SELECT p.record, p.number, p.terms, v.vector, p.partition, p.conversation, p.position,
          p.open = 1, p.asks
        FROM passages AS p LEFT JOIN vectors AS v ON v.space = p.space AND v.seq = p.seq
        ORDER BY p.record, p.number
    """
    rows = memory._access.engine.read(lambda session: session.rows(sql, {}))
    return [Row(*row) for row in rows]
