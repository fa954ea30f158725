"""Candidate facts for a query, with their neighbours in the same conversation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from erstwhile.core.fork_safety import cached_property
from erstwhile.core.ports import Params, Row
from erstwhile.facts import usage as fact_uses
from erstwhile.facts.fact import Fact
from erstwhile.facts.rows import to_fact
from erstwhile.facts.text_index import searched
from erstwhile.facts.usage_signals import NO_SIGNALS, Signals
from erstwhile.search.bm25 import Document
from erstwhile.search.terms import terms
from erstwhile.storage.view import View

REACH = 2
"""The messages before and after a fact that count as its neighbours."""
NEIGHBOUR_SHARE = 0.3
"""The weight of a direct neighbour's cosine; it is squared for the second neighbour."""
EXPANDED = 60
"""The number of best candidates whose neighbours become candidates, too."""


_NO_NEIGHBOURS: Mapping[int, tuple[int, list[str]]] = MappingProxyType({})


class RecallCandidate:
    """A fact that may match. The full fact is read only when it is needed."""

    def __init__(self, view: View, row: Row) -> None:
        self.seq: int = row[0]
        self.terms: list[str] = row[1].split()
        self.in_conversation = bool(row[2])
        self._view = view
        self.neighbours: Mapping[int, tuple[int, list[str]]] = _NO_NEIGHBOURS
        """The numbers and terms of the neighbours, by their distance."""
        self.signals: Signals = NO_SIGNALS
        """Usage and feedback; `read_ahead` sets them."""

    @cached_property
    def fact(self) -> Fact:
        """Return the full fact."""
        return _read_full(self._view, [self.seq])[self.seq][0]

    def similarity(self, known: Mapping[int, float]) -> float | None:
        """Return the weighted mean cosine of the fact and its neighbours, if it has a vector."""
        own = known.get(self.seq)
        if own is None or not self.neighbours:
            return own
        total, weights = own, 1.0
        for distance, (seq, _) in self.neighbours.items():
            if seq in known:
                weight = NEIGHBOUR_SHARE ** abs(distance)
                total, weights = total + weight * known[seq], weights + weight
        return total / weights

    @property
    def document(self) -> Document:
        """The terms for BM25."""
        if not self.neighbours:
            return Document(self.terms)
        return Document(self.terms, [terms for _, terms in self.neighbours.values()])


class PastRecallCandidate(RecallCandidate):
    """A candidate of a query about the past: the index may have labels that were added later."""

    def __init__(self, view: View, row: Row) -> None:
        super().__init__(view, row)
        self.terms = terms(searched(self.fact))


def read_ahead(view: View, candidates: Sequence[RecallCandidate]) -> None:
    """Read the full facts of several candidates, and their usage unless the view is past."""
    found = _read_full(view, [each.seq for each in candidates])
    used = [fact for fact, is_used in found.values() if is_used and not view.is_past]
    signals = fact_uses.signals(view, used) if used else {}
    for each in candidates:
        each.fact, _ = found[each.seq]
        each.signals = signals.get(each.fact.id, NO_SIGNALS)


def _read_full(view: View, seqs: Iterable[int]) -> dict[int, tuple[Fact, bool]]:
    """Return the facts with these numbers, and whether each has usage signals."""
    rows = view.rows("candidates_in_full", {"seqs": json.dumps(list(seqs))})
    return {row[0]: (to_fact(row[2:]), bool(row[1])) for row in rows}


def allowed(
    view: View, seqs: Iterable[int], filters: Params, state: str
) -> dict[int, RecallCandidate]:
    """Return the facts that pass the filters, in the given order."""
    unique = list(dict.fromkeys(seqs))
    rows = view.rows("candidates", {**filters, "seqs": json.dumps(unique)}, state)
    candidate = PastRecallCandidate if view.is_past else RecallCandidate
    found = {row[0]: candidate(view, row) for row in rows}
    return {seq: found[seq] for seq in unique if seq in found}


def with_neighbours(
    view: View, candidates: dict[int, RecallCandidate], filters: Params, state: str
) -> dict[int, RecallCandidate]:
    """Add the neighbours of the best candidates, and give each candidate its neighbours.

    A query about the past uses no neighbours: they may be from a later time.
    """
    in_conversation_seqs = [seq for seq, each in candidates.items() if each.in_conversation]
    if not in_conversation_seqs or view.is_past:
        return candidates
    around = _around(view, in_conversation_seqs)
    adjacent = {
        seq: _seen_from(around[found], distance, found, candidates[found].terms)
        for found in in_conversation_seqs[:EXPANDED]
        for distance, (seq, _) in around[found].items()
        if abs(distance) <= REACH and seq not in candidates
    }
    together = candidates | allowed(view, adjacent, filters, state)
    for seq, each in together.items():
        known = adjacent[seq] if seq in adjacent else around.get(seq, {})
        each.neighbours = {
            distance: other for distance, other in known.items() if 0 < abs(distance) <= REACH
        }
    return together


def _around(view: View, seqs: list[int]) -> dict[int, dict[int, tuple[int, list[str]]]]:
    """Read neighbours twice as far as needed, so that each neighbour has its neighbours, too."""
    rows = view.rows("neighbours", {"seqs": json.dumps(seqs), "reach": 2 * REACH})
    around: dict[int, dict[int, tuple[int, list[str]]]] = {seq: {} for seq in seqs}
    for seq, other, distance, held in rows:
        around[seq][distance] = (other, held.split())
    return around


def _seen_from(
    around: Mapping[int, tuple[int, list[str]]], place: int, seq: int, terms: list[str]
) -> dict[int, tuple[int, list[str]]]:
    """Return the neighbours of the neighbour at `place`, by their distance from it."""
    whole = {**around, 0: (seq, terms)}
    return {at - place: each for at, each in whole.items()}
