"""The expected answer of recall, calculated from all visible facts with `tests/search/exact.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import erstwhile
from erstwhile.core.defaults import FLOOR
from erstwhile.core.ports import Embedder
from erstwhile.core.text import folded
from erstwhile.recall import rank
from erstwhile.recall.candidates import NEIGHBOUR_SHARE, REACH
from erstwhile.recall.embedder_calls import embed_texts
from erstwhile.recall.hits import Fusion
from erstwhile.recall.similarity_scale import DEFAULT_SCALE, SimilarityScale, measure_scale
from erstwhile.search.bm25 import idf
from tests.search import exact


@dataclass(frozen=True)
class Expected:
    id: str
    score: float


def expected(
    memory: erstwhile.Memory,
    query: str,
    limit: int,
    embedder: Embedder | None = None,
    fusion: Fusion = Fusion.CONVEX,
    **filters: Any,
) -> list[Expected]:
    """Return the best `limit` facts, best first. The query must name no period."""
    trace = memory.recall(query).trace
    stored = _stored(memory)
    visible = {fact.id: fact for fact in memory.facts.list(limit=1_000, **filters)}
    weights = _weights(memory, trace.terms)
    vector = _question(embedder, trace.embedded)
    scale = _scale(embedder)
    facts = {stored[id].seq: fact for id, fact in visible.items()}
    compared = exact.compare(weights, vector, [stored[id] for id in visible], NEIGHBOUR_SHARE)
    bases = rank.FUSIONS[fusion]([rank.Scores(each.match.score, each.cosine) for each in compared])
    by_words = _found_by_words([stored[id] for id in visible], set(weights))
    names = {folded(name) for name in trace.names}
    final: list[tuple[float, int]] = []
    for each, base in zip(compared, bases, strict=True):
        fact = facts[each.seq]
        named = any(folded(name) in names for name in fact.entities)
        shifts = rank.factors(fact, memory._access.clock.now(), named=named)
        found = vector is not None or each.seq in by_words
        if found and _relevance(each, weights, scale) >= FLOOR:
            final.append((base * (1 + sum(shifts.values())), each.seq))
    terms = {each.seq: frozenset(each.terms) for each in stored.values()}
    final.sort(key=lambda each: (-each[0], each[1]))
    return [Expected(facts[seq].id, score) for score, seq in _repeats_last(final, terms)[:limit]]


def _found_by_words(visible: list[exact.Stored], terms: set[str]) -> set[int]:
    """Return the facts with a query term, and their neighbours."""
    holding = [each for each in visible if terms & set(each.terms)]
    around = {near.seq for each in holding for near in each.around.values()}
    return around | {each.seq for each in holding}


def _repeats_last(
    final: list[tuple[float, int]], terms: dict[int, frozenset[str]]
) -> list[tuple[float, int]]:
    kept: list[tuple[float, int]] = []
    repeats: list[tuple[float, int]] = []
    for each in final:
        same = any(rank._is_repeat(terms[each[1]], terms[seq]) for _, seq in kept)
        (repeats if same else kept).append(each)
    return kept + repeats


def _scale(embedder: Embedder | None) -> SimilarityScale:
    if embedder is None:
        return DEFAULT_SCALE
    size = embedder.dimensions
    return measure_scale(lambda texts, query: embed_texts(embedder, texts, size, query=query))


def _relevance(each: exact.Compared, weights: dict[str, float], scale: SimilarityScale) -> float:
    words = each.match.score / rank.full_match(weights.values())
    if each.cosine is None:
        return words
    return max(words, scale.nearness(each.cosine))


def _question(embedder: Embedder | None, text: str | None) -> NDArray[np.float32] | None:
    if embedder is None or text is None:
        return None
    return np.asarray(embedder.embed([text], query=True)[0])


def _weights(memory: erstwhile.Memory, terms: tuple[str, ...]) -> dict[str, float]:
    """Return the idf of each term over the visible open facts."""
    everyone = memory.facts.list(state="any", limit=1_000)
    stored = _stored(memory)
    open_facts = [
        stored[fact.id].terms
        for fact in everyone
        if fact.retired_at is None and fact.trust is erstwhile.types.Trust.TRUSTED
    ]
    holding = {term: sum(term in said for said in open_facts) for term in terms}
    scopes = memory._access.ask(lambda view: view.rows("visible_scopes", {}))
    total = max([sum(row[1] for row in scopes), *holding.values()])
    return {term: idf(holding[term], total) for term in terms}


def _stored(memory: erstwhile.Memory) -> dict[str, exact.Stored]:
    """Read every fact with its neighbours from the tables, by id."""
    rows = _all_rows(memory)
    alone = {
        row[0]: exact.Stored(row[1], row[2].split(), row[3]) for row in rows if row[3] is not None
    } | {row[0]: exact.Stored(row[1], row[2].split()) for row in rows if row[3] is None}
    return {
        id: exact.Stored(seq, terms.split(), vector, {
            other[6] - position: alone[other[0]]
            for other in rows
            if conversation is not None and (other[4], other[5]) == (scope, conversation)
            and 0 < abs(other[6] - position) <= REACH and other[7]
        })
        for id, seq, terms, vector, scope, conversation, position, _ in rows
    }  # fmt: skip


def _all_rows(memory: erstwhile.Memory) -> list[tuple[Any, ...]]:
    sql = """
        SELECT t.fact, t.seq, t.terms, v.vector, t.scope, t.conversation, t.position,
          f.deleted_at IS NULL AND f.trust = 'trusted'
        FROM fact_texts AS t JOIN facts AS f ON f.id = t.fact
        LEFT JOIN vectors AS v ON v.seq = t.seq
    """
    return memory._access.engine.read(lambda session: session.rows(sql, {}))
