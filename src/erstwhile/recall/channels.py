"""The two ways to find facts: by words and by meaning. Each gives visible candidates, best first.

Both are asked for a number of candidates; the filter is applied to them inside the store, and when
too few are left the caller asks for more, until there are enough or no more exist.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from erstwhile.facts.text_index import marked
from erstwhile.recall.term_counts import TermCounts
from erstwhile.recall.vector_search import Meaning, VectorSearch
from erstwhile.search.bm25 import rarity
from erstwhile.storage.view import View

_FEW = 5_000
"""Up to so many visible facts all terms choose the candidates."""
_MOST_TERMS = 64
"""A whole dialogue may be the question: so many of its terms, the rarest, find what all of them do
(MADial, Chinese, recall@10: .51 with 32, .60 with 64 and with all)."""


class TextChannel:
    """Full text. Of many terms the rarer choose the candidates; the ranking counts all."""

    def __init__(
        self,
        view: View,
        counts: TermCounts,
        terms: Sequence[str],
        scopes: Mapping[int, int],
        ended: bool,
    ) -> None:
        self._view = view
        both = (True, False) if ended else (True,)
        each = [
            (marked(term, scope, is_open), term, changes)
            for is_open in both
            for scope, changes in scopes.items()
            for term in terms
        ]
        self._marked = {name: term for name, term, _ in each}
        holding = self._holding(counts, {name: changes for name, _, changes in each})
        rarest = sorted(holding, key=lambda term: 0 if view.is_past else holding[term])
        self._held = {term: holding[term] for term in rarest[:_MOST_TERMS]}
        total = self._visible = max([sum(scopes.values()), *self._held.values()])
        # How rare a term was is not kept: in the past all weigh the same, then and for ever.
        self.weights: Mapping[str, float] = {
            term: 1.0 if view.is_past else rarity(holding.get(term, 0), total)
            for term in terms
            if term in self._held or term not in holding
        }
        self.complete = not self._held
        self._found: list[int] = []

    def search(self, count: int) -> list[int]:
        """The numbers of up to `count` facts; fewer means that there are no more."""
        if self.complete:
            return self._found
        terms = self._rarer() if count < self._visible else list(self._held)
        found = self._match(terms, count)
        if len(found) < count and len(terms) < len(self._held):
            found = self._match(list(self._held), count)
        self._found, self.complete = found, len(found) < count
        return found

    def _match(self, terms: Sequence[str], count: int) -> list[int]:
        weights = {each: self.weights[term] for each, term in self._marked.items() if term in terms}
        wanted = json.dumps(weights, ensure_ascii=False)
        rows = self._view.rows("match_terms", {"terms": wanted, "limit": count})
        return [row[0] for row in rows]

    def _rarer(self) -> list[str]:
        """The rarest terms, as long as together they stand in no more than a twentieth of all."""
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

    def _holding(self, counts: TermCounts, changes: Mapping[str, int]) -> dict[str, int]:
        """In how many visible facts each term stands, of those that stand in any."""
        holding: dict[str, int] = {}
        for each, count in counts.of(self._view, changes).items():
            if count:
                term = self._marked[each]
                holding[term] = holding.get(term, 0) + count
        return holding


class VectorChannel:
    """Meaning: the nearest vectors of the visible scopes."""

    def __init__(
        self, view: View, vectors: VectorSearch, meaning: Meaning, scopes: Mapping[int, int]
    ) -> None:
        self._view = view
        self._vectors = vectors
        self._meaning = meaning
        self._scopes = scopes
        self._complete = False
        self._farthest = 1.0
        self._known: dict[int, float] = {}

    def search(self, count: int) -> list[int]:
        near = self._vectors.nearest(self._view, self._meaning, self._scopes, count)
        nearest: list[int] = near.seqs.tolist()
        self._complete = len(nearest) < count
        self._known |= zip(nearest, near.cosines.tolist(), strict=True)
        self._farthest = self._known[nearest[-1]] if nearest else 0.0
        return nearest

    def spent(self, floor: float) -> bool:
        """Whether no more are there, or what comes next is not near enough."""
        return self._complete or self.nearness(self._farthest) < floor

    def cosines(self, seqs: Sequence[int]) -> dict[int, float]:
        """The similarity of these facts to the question, and of those that were found by it."""
        others = [seq for seq in seqs if seq not in self._known]
        self._known |= self._vectors.cosines(self._view, self._meaning, self._scopes, others)
        return self._known

    def nearness(self, cosine: float) -> float:
        return self._meaning.scale.nearness(cosine)
