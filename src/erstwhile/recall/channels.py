"""The two search channels, full text and vectors. Each returns visible candidates, best first.

The caller asks for a number of candidates, and the store filters them. If too few remain, the
caller asks for more, until there are enough or no more exist.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import TYPE_CHECKING

from erstwhile.recall.embedding import UnembeddedVectors
from erstwhile.recall.models import QueryVector
from erstwhile.search.bm25 import USUAL_IDF, idf
from erstwhile.search.topic import TOPIC
from erstwhile.storage.passages import Partition, PartitionGroup, marked
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.recall.vector_search import VectorSearch

_FEW = 5_000
"""Up to this many visible passages, all terms select candidates."""
_OTHERS = 3
"""Passages that are added to the count of all passages. Without them a term that most texts of a
small store contain would have no weight."""
_MAX_TERMS = 64
"""The most terms of a query that are searched, the rarest. A query may be a whole dialogue
(MADial, Chinese, recall@10: .51 with 32, .60 with 64 and with all terms)."""
_COMMON = 0.3
_ENOUGH = 8
"""A term is common if this share of the passages has it, in a memory with enough of them."""
_MAX_COUNTS = 100_000
"""The most term counts to keep: some megabytes."""


class TermCounts:
    """A cache of the number of passages with each marked term.

    A count is valid up to the next change of its partition.
    """

    def __init__(self) -> None:
        self._counted: dict[str, tuple[int, int]] = {}

    def of(self, view: View, changes: Mapping[str, int]) -> dict[str, int]:
        """Return the counts of terms; `changes` has the change number of the partition of each."""
        if len(self._counted) > _MAX_COUNTS:
            self._counted = {}
        kept = self._counted
        known = {
            term: kept[term][1]
            for term in changes
            if term in kept and kept[term][0] == changes[term]
        }
        if new := [term for term in changes if term not in known]:
            rows = view.rows("count_holding", {"terms": json.dumps(new, ensure_ascii=False)})
            known |= dict.fromkeys(new, 0) | dict(rows)
            kept |= {term: (changes[term], known[term]) for term in new}
        return known


class TermStatistics:
    """How many visible passages have each term of a query."""

    def __init__(
        self,
        view: View,
        counts: TermCounts,
        terms: Sequence[str],
        partitions: Sequence[Partition],
        *,
        ended: bool = False,
    ) -> None:
        each = [
            (marked(term, partition.id, is_open), term, partition.changes)
            for partition in partitions
            for is_open in (
                (True, False) if ended and partition.group is PartitionGroup.FACTS else (True,)
            )
            for term in terms
        ]
        self.marked = {name: term for name, term, _ in each}
        self.containing: dict[str, int] = {}
        """The number of visible passages with each term; terms that no passage has are missing."""
        for name, count in counts.of(view, {name: changes for name, _, changes in each}).items():
            if count:
                term = self.marked[name]
                self.containing[term] = self.containing.get(term, 0) + count
        self.passages = sum(partition.passages for partition in partitions)

    def is_common(self, term: str) -> bool:
        """Return whether so many passages have a term that it tells them not apart."""
        count = self.containing.get(term, 0)
        return self.passages >= _ENOUGH and count > _COMMON * self.passages


class TextChannel:
    """Full text. The rarer terms select the candidates; all terms count for the ranking."""

    def __init__(
        self, view: View, statistics: TermStatistics, weights: Mapping[str, float]
    ) -> None:
        self._view = view
        self._marked = statistics.marked
        containing = statistics.containing
        rarest = sorted(containing, key=lambda term: 0 if view.is_past else containing[term])
        self._held = {term: containing[term] for term in rarest[:_MAX_TERMS]}
        self._visible = statistics.passages
        total = self._visible + _OTHERS
        # A word that no passage has counts against all of them only if it belongs to the topic.
        # Past term frequencies are not kept: in a past view all terms always have the same weight.
        self.weights: Mapping[str, float] = {
            term: weight * (USUAL_IDF if view.is_past else idf(containing.get(term, 0), total))
            for term, weight in weights.items()
            if term in self._held or (term not in containing and weight == TOPIC)
        }
        self.complete = not self._held
        self._found: list[int] = []

    def search(self, count: int) -> list[int]:
        """Return the numbers of up to `count` passages; fewer means that no more exist."""
        if self.complete:
            return self._found
        terms = self._rarest() if count < self._visible else list(self._held)
        found = self._match(terms, count)
        if len(found) < count and len(terms) < len(self._held):
            found = self._match(list(self._held), count)
        self._found, self.complete = found, len(found) < count
        return found

    def _match(self, terms: Sequence[str], count: int) -> list[int]:
        weights = {each: self.weights[term] for each, term in self._marked.items() if term in terms}
        params = {"terms": json.dumps(weights, ensure_ascii=False), "limit": count}
        return [row[0] for row in self._view.rows("match_terms", params)]

    def _rarest(self) -> list[str]:
        """Return the rarest terms that together match at most a twentieth of all passages."""
        if self._visible <= _FEW:
            return list(self._held)
        chosen: list[str] = []
        budget = max(self._visible // 20, _FEW // 2)
        for term in sorted(self._held, key=self._held.__getitem__):
            budget -= self._held[term]
            if chosen and budget < 0:
                break
            chosen.append(term)
        return chosen


class VectorChannel:
    """Vectors: the nearest ones of the visible partitions, and of texts in the outbox."""

    def __init__(
        self,
        view: View,
        vectors: VectorSearch,
        query: QueryVector,
        partitions: Sequence[Partition],
        unembedded: UnembeddedVectors,
    ) -> None:
        self._view = view
        self._vectors = vectors
        self._query = query
        self.scale, self.model = query.scale, query.model
        self._partitions = {partition.id: partition.passages for partition in partitions}
        self._unembedded = {
            seq: float(vector @ query.vector)
            for seq, (partition, vector) in unembedded.items()
            if partition in self._partitions
        }
        self.farthest = 1.0
        """The cosine of the farthest passage that was found; minus infinity if no more exist."""
        self._known: dict[int, float] = {}

    def search(self, count: int) -> list[int]:
        """Return the numbers of the `count` nearest passages, or all if there are fewer."""
        near = self._vectors.nearest(self._view, self._query, self._partitions, count)
        found = self._unembedded | dict(zip(near.seqs.tolist(), near.cosines.tolist(), strict=True))
        self._known |= found
        nearest = nlargest(count, found, key=found.__getitem__)
        self.farthest = found[nearest[-1]] if len(nearest) == count else -math.inf
        return nearest

    def cosines(self, seqs: Sequence[int]) -> dict[int, float]:
        """Return the cosines of these passages and of all that were found before."""
        others = [seq for seq in seqs if seq not in self._known]
        self._known |= self._vectors.cosines(self._view, self._query, self._partitions, others)
        return self._known
