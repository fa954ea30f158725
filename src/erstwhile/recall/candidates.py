"""Candidate records for a query, with their passages and their neighbours in a conversation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from erstwhile.core.fork_safety import cached_property
from erstwhile.core.kinds import TextKind
from erstwhile.core.ports import Row
from erstwhile.core.time import from_micros
from erstwhile.facts import feedback as fact_uses
from erstwhile.facts.fact import Fact, to_fact
from erstwhile.facts.feedback import NO_SIGNALS, Signals
from erstwhile.facts.table import labels
from erstwhile.recall.filters import CandidateFilters
from erstwhile.recall.hits import Recalled
from erstwhile.recall.rank import length_weight, smoothed, subject_weight, telling_weight
from erstwhile.search.terms import terms
from erstwhile.storage.columns import damaged
from erstwhile.storage.view import View

REACH = 2
"""The records before and after a record that count as its neighbours."""
EXPANDED = 60
"""The number of best candidates whose neighbours become candidates, too."""


class IndexedPassage(NamedTuple):
    """A passage of a record as the index has it."""

    seq: int
    start: int
    length: int
    terms: str


class AdjacentRecord(NamedTuple):
    """A record next to another in their conversation."""

    seq: int
    is_short: bool
    terms: str


_KINDS = {each.value: each for each in TextKind}
"""A look-up is five times as fast as calling the enum."""
_NO_NEIGHBOURS: Mapping[int, AdjacentRecord] = MappingProxyType({})


class RecallCandidate:
    """A record that may match. The full record is read only when it is needed."""

    neighbours: Mapping[int, AdjacentRecord] = _NO_NEIGHBOURS
    """The neighbours by their distance."""
    nearest = 0
    """The place of the passage with the best cosine; `similarity` sets it."""
    signals: Signals = NO_SIGNALS
    """Usage and feedback; `read_ahead` sets them."""

    def __init__(self, view: View, row: Row) -> None:
        seq, kind, id, count, asks, _, _, _, in_conversation, persons = row
        self._view = view
        self.seq: int = seq
        """The number of the first passage that is known."""
        self.kind = _KINDS[kind]
        self.tie = self.seq if self.kind is TextKind.FACTS else -self.seq
        """The order among equal matches: facts oldest first, other records newest first."""
        self.id: str = id
        self.passages: list[IndexedPassage] = []
        """The passages that were found."""
        self.count: int = count
        """The number of all its passages."""
        self.has_neighbours = count == 1 and bool(in_conversation)
        self.is_persons = bool(persons)
        self.asks: int = asks
        """The percentage of a short record that only asks."""

    def add_passage(self, row: Row) -> None:
        """Add a passage of the record."""
        seq, _, _, _, _, start, length, indexed, _, _ = row
        if self._view.is_past and not start and isinstance(self.record, Fact):
            # The index may have labels that were added later.
            text = f"{labels(self.record)}\n{self.record.text[:length]}"
            indexed = " ".join(terms(text))
        self.passages.append(IndexedPassage(seq, start, length, indexed))

    @cached_property
    def record(self) -> Recalled:
        """Return the full record."""
        read_ahead(self._view, [self])
        return self.record

    def weight(self, others: float, subject: frozenset[str]) -> float:
        """Return the weight of its role, length and form, and of what it is about.

        `others` is the weight of other roles than a person's; with 1 the length does not count.
        """
        weight = telling_weight(self.asks)
        if others < 1:
            weight *= length_weight(self.count) * (1.0 if self.is_persons else others)
        if subject and self.count == 1:
            weight *= subject_weight(self.passages[0].terms, subject)
        return weight

    def similarity(self, known: Mapping[int, float]) -> float | None:
        """Return the best cosine of a passage, mixed with those of neighbours, if it has one."""
        if len(self.passages) == 1 and not self.neighbours:  # most records: be quick
            return known.get(self.seq)
        cosines = [
            (known[each.seq], -at) for at, each in enumerate(self.passages) if each.seq in known
        ]
        if not cosines:
            return None
        own, place = max(cosines)
        self.nearest = -place
        beside = [
            (distance, known[neighbour.seq])
            for distance, neighbour in self.neighbours.items()
            if neighbour.is_short and neighbour.seq in known
        ]
        return smoothed(own, beside)


def read_ahead(view: View, candidates: Sequence[RecallCandidate]) -> None:
    """Read the full records of several candidates, and the usage of facts.

    A view of the past has no usage.
    """
    ids: dict[TextKind, list[str]] = {}
    for each in candidates:
        ids.setdefault(each.kind, []).append(each.id)
    found: dict[str, Recalled] = {}
    used: list[Fact] = []
    now = from_micros(view.as_of)
    if facts := ids.pop(TextKind.FACTS, None):
        for is_used, *row in view.rows("facts_in_full", {"ids": json.dumps(facts)}):
            fact = to_fact(tuple(row)).seen_at(now)
            found[fact.id] = fact
            if is_used and not view.is_past:
                used.append(fact)
    for kind, others in ids.items():
        # Imported here: recall among facts does not load the collections of other records.
        from erstwhile.recall.records import read_records

        found |= read_records(view, kind, others)
    signals = fact_uses.signals(view, used) if used else {}
    for each in candidates:
        if each.id not in found:  # an index of the table is damaged
            raise damaged("record", each.id)
        each.record, each.signals = found[each.id], signals.get(each.id, NO_SIGNALS)


def select_candidates(
    view: View, seqs: Iterable[int], filters: CandidateFilters
) -> dict[str, RecallCandidate]:
    """Return the records with these passages that pass the filters, in the given order."""
    unique = list(dict.fromkeys(seqs))
    rows = {row[0]: row for row in filters.rows(view, json.dumps(unique))}
    found: dict[str, RecallCandidate] = {}
    for row in (rows[seq] for seq in unique if seq in rows):
        if row[2] not in found:
            found[row[2]] = RecallCandidate(view, row)
        found[row[2]].add_passage(row)
    return found


def with_neighbours(
    view: View, candidates: dict[str, RecallCandidate], filters: CandidateFilters
) -> dict[str, RecallCandidate]:
    """Add the neighbours of the best candidates, and give each candidate its neighbours.

    A query about the past uses no neighbours: they may be from a later time.
    """
    short = {each.seq: each for each in candidates.values() if each.has_neighbours}
    if not short or view.is_past:
        return candidates
    around = _around(view, short)
    adjacent = {
        neighbour.seq: {at - distance: each for at, each in around[seq].items()}
        for seq in islice(short, EXPANDED)
        for distance, neighbour in around[seq].items()
        if abs(distance) <= REACH and neighbour.is_short and neighbour.seq not in short
    }
    together = candidates | select_candidates(view, adjacent, filters)
    for each in together.values():
        known = adjacent.get(each.seq) or around.get(each.seq)
        if known:
            each.neighbours = {
                distance: other for distance, other in known.items() if 0 < abs(distance) <= REACH
            }
    return together


def _around(
    view: View, centres: Mapping[int, RecallCandidate]
) -> dict[int, dict[int, AdjacentRecord]]:
    """Read neighbours by distance, twice as far as needed: so each neighbour has its own, too.

    The record itself is at the distance 0.
    """
    rows = view.rows("neighbours", {"seqs": json.dumps(list(centres)), "reach": 2 * REACH})
    around: dict[int, dict[int, AdjacentRecord]] = {seq: {} for seq in centres}
    for seq, other, distance, count, held in rows:
        around[seq][distance] = AdjacentRecord(other, count == 1, held)
    for seq, centre in centres.items():
        around[seq][0] = AdjacentRecord(seq, True, centre.passages[0].terms)
    return around
