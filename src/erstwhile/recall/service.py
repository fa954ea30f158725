"""The entry point of recall, shared by all views of one memory.

Modules that need numpy or a model are imported on first use, so that opening a memory stays fast.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from erstwhile.core.background import Stage
from erstwhile.core.defaults import EMBEDDER_WAIT
from erstwhile.core.kinds import TextKind
from erstwhile.core.page import MAX_LIMIT, checked_limit
from erstwhile.core.ports import Embedder
from erstwhile.core.scope import SHARED
from erstwhile.core.text import checked_text
from erstwhile.facts.draft import MAX_TEXT
from erstwhile.facts.filters import Filters
from erstwhile.recall.embedding import Embedding
from erstwhile.recall.paraphrases import Paraphrases, paraphrases_of
from erstwhile.recall.reembed import reembed
from erstwhile.recall.request import RecallOptions, RecordFilters
from erstwhile.recall.stored_models import serving_model
from erstwhile.recall.term_counts import TermCounts
from erstwhile.recall.vectors_in_process import VectorsInProcess
from erstwhile.storage.access import Access
from erstwhile.storage.passages import ShelfGroup, shelf_of
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.conversations.queries import MessageFilters
    from erstwhile.recall.hits import RecallHits, WhyNot
    from erstwhile.recall.recall import Recall
    from erstwhile.recall.vector_search import VectorSearch
    from erstwhile.records.model import ObservationType

Result = TypeVar("Result")
SimilarityFunction: TypeAlias = Callable[[View, Sequence[int]], Mapping[int, float]]
"""Returns the cosines of decisions to a text, by their numbers among the vectors."""


class RecallService:
    """Searches records and keeps their embeddings up to date."""

    def __init__(
        self,
        make_embedder: Callable[[], Embedder | None],
        stage: Stage,
        wait: float = EMBEDDER_WAIT,
    ) -> None:
        self._make_embedder = make_embedder
        self._wait = wait
        self._stage = stage
        self._making = Lock()
        self._lazy_embedding: Embedding | None = None
        self._vector_search: VectorSearch | None = None
        self._counts = TermCounts()

    def search(
        self, access: Access, query: str, filters: RecordFilters, options: RecallOptions
    ) -> RecallHits:
        """Return the records that match a query, best first."""
        return self._answer(access, query, filters, options, lambda recall: recall.hits())

    def search_messages(
        self, access: Access, query: str, messages: MessageFilters, options: Mapping[str, Any]
    ) -> RecallHits:
        """Return the messages that match a query, best first."""
        return self._search_kind(access, query, TextKind.MESSAGES, options, messages=messages)

    def search_observations(
        self, access: Access, query: str, type: ObservationType | None, options: Mapping[str, Any]
    ) -> RecallHits:
        """Return the observations that match a query, best first."""
        return self._search_kind(access, query, TextKind.OBSERVATIONS, options, type=type)

    def why_not(
        self, access: Access, query: str, id: str, filters: RecordFilters, options: RecallOptions
    ) -> WhyNot:
        """Explain why a record is, or is not, among the hits of a query."""
        from erstwhile.recall.explain import why_not

        deep = replace(options, limit=MAX_LIMIT)
        return self._answer(
            access, query, filters, deep, lambda recall: why_not(recall, id, options.limit)
        )

    def drain(self, access: Access) -> Iterator[int]:
        """Embed the waiting texts; yield the size of each batch."""
        return self._embedding.drain(access)

    def flush(self, access: Access, deadline: float | None) -> int:
        """Embed the waiting texts up to a time of the monotonic clock; return how many are left."""
        for _ in self._embedding.drain_now(access):
            if deadline is not None and time.monotonic() > deadline:
                break
        if access.viewer.scope == SHARED:  # the root view embeds for everybody, and counts all
            access = access.seen_by(replace(access.viewer, everything=True))
        return int(access.ask(lambda view: view.rows("count_outbox", {})[0][0]))

    def reembed(self, access: Access, progress: Callable[[int, int], None] | None) -> int:
        """Embed every text with the model of this process; return how many were embedded."""
        return reembed(access, self._embedding.embedder, progress)

    def similarity_to(self, access: Access, text: str) -> tuple[SimilarityFunction, str]:
        """Return a function that compares decisions with a text, and a note if it cannot."""
        query = self._embedding.query(access.ask(serving_model), text, question=False)
        if isinstance(query, str):
            return no_similarities, query
        vectors = self._vectors(access)

        def similarities(view: View, numbers: Sequence[int]) -> Mapping[int, float]:
            scopes = view.rows("visible_scopes", {})
            shelves = {shelf_of(scope, ShelfGroup.DECISIONS): size for scope, size in scopes}
            return vectors.refreshed_cosines(view, query, shelves, numbers)

        return similarities, ""

    @property
    def embedder(self) -> Embedder | None:
        """The embedder of this process; None without one."""
        return self._embedding.embedder

    def paraphrases(self) -> Paraphrases | None:
        """Return the comparison of texts by meaning; None without an embedder measured for it."""
        return paraphrases_of(self._embedding.embedder)

    def memory(self) -> int:
        """Return the bytes of vectors that this process holds."""
        return 0 if self._vector_search is None else self._vector_search.memory

    def _answer(
        self,
        access: Access,
        query: str,
        filters: RecordFilters,
        options: RecallOptions,
        answer: Callable[[Recall], Result],
    ) -> Result:
        """Parse, embed, search. No transaction is open while the model embeds the query."""
        # Imported here: a program that only stores needs none of it.
        from erstwhile.recall.answering import QueryParts, answered

        text = checked_text(query, name="query", limit=MAX_TEXT)
        parts = QueryParts(self._embedding, self._vectors(access), self._counts)
        return answered(access, text, parts, filters, options, answer)

    def _search_kind(
        self,
        access: Access,
        query: str,
        kind: TextKind,
        options: Mapping[str, Any],
        **filters: Any,
    ) -> RecallHits:
        """Search one kind of records; `options` has `limit`, `floor`, `since` and `until`."""
        times = Filters(since=options["since"], until=options["until"])
        wanted = RecallOptions(
            limit=checked_limit(options["limit"]), among=frozenset((kind,)), floor=options["floor"]
        )
        return self.search(access, query, RecordFilters(facts=times, **filters), wanted)

    def _vectors(self, access: Access) -> VectorSearch:
        with self._making:
            if self._vector_search is None:
                self._vector_search = _choose_vector_search(access)
            return self._vector_search

    @property
    def _embedding(self) -> Embedding:
        """The embedder, created once: the worker and a query may need it at the same time."""
        with self._making:
            if self._lazy_embedding is None:
                self._lazy_embedding = Embedding(self._make_embedder(), self._stage, self._wait)
            return self._lazy_embedding


def no_similarities(_view: View, _numbers: Sequence[int]) -> Mapping[int, float]:
    """Return no similarities: used without an embedder."""
    return {}


def _choose_vector_search(access: Access) -> VectorSearch:
    """Return the search of the database if its engine has one, else the search in this process."""
    if access.offers("nearest_vectors"):
        from erstwhile.recall.vectors_in_database import VectorsInDatabase

        return VectorsInDatabase()
    return VectorsInProcess()
