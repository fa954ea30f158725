"""Facts that may answer a question, and what stands around them in their conversations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from erstwhile.core.lockfree_property import cached_property
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
"""How far around a message its conversation counts."""
NEIGHBOUR_SHARE = 0.3
"""Of a direct neighbour's similarity; of the one behind it this share of this share."""
EXPANDED = 60
"""So many of the best bring what stands next to them along as candidates."""


_NOTHING: Mapping[int, tuple[int, list[str]]] = MappingProxyType({})


class Candidate:
    """A fact that may be an answer; it is read in full only when it is needed."""

    def __init__(self, view: View, row: Row) -> None:
        self.seq: int = row[0]
        self.terms: list[str] = row[1].split()
        self.in_conversation = bool(row[2])
        self._view = view
        self.around: Mapping[int, tuple[int, list[str]]] = _NOTHING
        """The neighbours' numbers and terms, by their distance."""
        self.signals: Signals = NO_SIGNALS
        """Known once it was read with others: see `read_ahead`."""

    @cached_property
    def fact(self) -> Fact:
        return _read_in_full(self._view, [self.seq])[self.seq][0]

    def similarity(self, known: Mapping[int, float]) -> float | None:
        """Its own similarity, averaged with that of its neighbours, the nearer counting more."""
        own = known.get(self.seq)
        if own is None or not self.around:
            return own
        total, weights = own, 1.0
        for distance, (seq, _) in self.around.items():
            if seq in known:
                weight = NEIGHBOUR_SHARE ** abs(distance)
                total, weights = total + weight * known[seq], weights + weight
        return total / weights

    @property
    def document(self) -> Document:
        if not self.around:
            return Document(self.terms)
        return Document(self.terms, [terms for _, terms in self.around.values()])


class PastCandidate(Candidate):
    """A fact as it was known: the index may hold labels that it got later."""

    def __init__(self, view: View, row: Row) -> None:
        super().__init__(view, row)
        self.terms = terms(searched(self.fact))


def read_ahead(view: View, candidates: Sequence[Candidate]) -> None:
    """Read several in full, and how they were used: of the past nobody can tell."""
    found = _read_in_full(view, [each.seq for each in candidates])
    used = [fact for fact, is_used in found.values() if is_used and not view.is_past]
    signals = fact_uses.signals(view, used) if used else {}
    for each in candidates:
        each.fact, _ = found[each.seq]
        each.signals = signals.get(each.fact.id, NO_SIGNALS)


def _read_in_full(view: View, seqs: Iterable[int]) -> dict[int, tuple[Fact, bool]]:
    """The facts with these numbers, and whether anything is known of their use."""
    rows = view.rows("candidates_in_full", {"seqs": json.dumps(list(seqs))})
    return {row[0]: (to_fact(row[2:]), bool(row[1])) for row in rows}


def allowed(view: View, seqs: Iterable[int], filters: Params, state: str) -> dict[int, Candidate]:
    """Those of the facts that the question may see, in the order given."""
    wanted = list(dict.fromkeys(seqs))
    rows = view.rows("candidates", {**filters, "seqs": json.dumps(wanted)}, state)
    kind = PastCandidate if view.is_past else Candidate
    found = {row[0]: kind(view, row) for row in rows}
    return {seq: found[seq] for seq in wanted if seq in found}


def with_neighbours(
    view: View, candidates: dict[int, Candidate], filters: Params, state: str
) -> dict[int, Candidate]:
    """The candidates, and next to the best of them more; all know what stands around them.

    Asked of the past, each stands for itself: what is around it may have been said later.
    """
    talking = [seq for seq, each in candidates.items() if each.in_conversation]
    if not talking or view.is_past:
        return candidates
    around = _around(view, talking)
    beside = {
        seq: _seen_from(around[found], distance, found, candidates[found].terms)
        for found in talking[:EXPANDED]
        for distance, (seq, _) in around[found].items()
        if abs(distance) <= REACH and seq not in candidates
    }
    everyone = candidates | allowed(view, beside, filters, state)
    for seq, each in everyone.items():
        known = beside[seq] if seq in beside else around.get(seq, {})
        each.around = {at: each for at, each in known.items() if 0 < abs(at) <= REACH}
    return everyone


def _around(view: View, seqs: list[int]) -> dict[int, dict[int, tuple[int, list[str]]]]:
    """Twice as far as needed, so that the neighbours know their neighbours too."""
    rows = view.rows("neighbours", {"seqs": json.dumps(seqs), "reach": 2 * REACH})
    around: dict[int, dict[int, tuple[int, list[str]]]] = {seq: {} for seq in seqs}
    for seq, other, distance, said in rows:
        around[seq][distance] = (other, said.split())
    return around


def _seen_from(
    around: Mapping[int, tuple[int, list[str]]], place: int, seq: int, terms: list[str]
) -> dict[int, tuple[int, list[str]]]:
    """What stands around the neighbour at a place, told from the middle."""
    whole = {**around, 0: (seq, terms)}
    return {at - place: each for at, each in whole.items()}
