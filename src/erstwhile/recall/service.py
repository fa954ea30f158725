"""The entry point of recall, shared by all views of one memory.

Modules that need numpy or a model are imported on first use, so that opening a memory stays fast.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from erstwhile.core.background import JobHealth
from erstwhile.core.fork_safety import cached_property
from erstwhile.core.kinds import TextKind
from erstwhile.core.ports import Embedder, Reranker
from erstwhile.core.results import checked_limit
from erstwhile.core.scope import SHARED
from erstwhile.core.settings import EMBEDDER_WAIT
from erstwhile.facts.queries import Filters
from erstwhile.recall.channels import TermCounts
from erstwhile.recall.embedding import Embedding
from erstwhile.recall.filters import RecallOptions, RecordFilters
from erstwhile.recall.models import serving_model
from erstwhile.recall.outbox import Outbox, reembed
from erstwhile.storage.access import Access
from erstwhile.storage.passages import PartitionGroup, partition_of
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.recall.hits import RecallHits, WhyNot
    from erstwhile.recall.query import QueryContext
    from erstwhile.recall.reranking import Reranking
    from erstwhile.recall.vector_search import VectorSearch

SimilarityFunction: TypeAlias = Callable[[View, Sequence[int]], Mapping[int, float]]
"""Returns the cosines of decisions to a text, by their numbers among the vectors."""


class RecallService:
    """Searches records and keeps their embeddings up to date."""

    def __init__(
        self,
        make_embedder: Callable[[], Embedder | None],
        health: JobHealth,
        wait: float = EMBEDDER_WAIT,
        make_reranker: Callable[[], Reranker | None] = lambda: None,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        """Texts that a query finds in the outbox `wake` the thread that embeds them."""
        self._make_embedder = make_embedder
        self._make_reranker = make_reranker
        self._wait = wait
        self._wake = wake
        self._outbox = Outbox(health)
        self._lock = Lock()
        self._lazy_embedding: Embedding | None = None
        self._lazy_vectors: VectorSearch | None = None
        self._counts = TermCounts()

    def search(
        self, access: Access, query: str, filters: RecordFilters, options: RecallOptions
    ) -> RecallHits:
        """Return the records that match a query, best first."""
        # Imported here: a program that only stores needs none of it.
        from erstwhile.recall.recall import Recall

        context = self._prepared(access, query, filters, options)
        wide = self._reranking.widened(options)
        found = access.ask(lambda view: Recall(view, context, filters, wide).hits(), *filters.times)
        if context.waiting:
            self._wake()
        return self._reranking.applied(context.text, found, options)

    def _prepared(
        self, access: Access, query: str, filters: RecordFilters, options: RecallOptions
    ) -> QueryContext:
        """Return a query that is ready for the search, with the time of the event that it names."""
        from erstwhile.recall.anchor import find_anchor
        from erstwhile.recall.query import prepare_query

        context = prepare_query(access, query, filters, options, *self._indexes(access))
        return context._replace(
            anchor=find_anchor(context.text, filters, partial(self.search, access))
        )

    def search_kind(
        self,
        access: Access,
        query: str,
        kind: TextKind,
        options: Mapping[str, Any],
        **filters: Any,
    ) -> RecallHits:
        """Search one kind of records; `options` has `limit`, `floor` and the times."""
        times = Filters(since=options["since"], until=options["until"], as_of=options.get("as_of"))
        chosen = RecallOptions(
            limit=checked_limit(options["limit"]),
            among=frozenset((kind,)),
            floor=options["floor"],
            rerank=True,
        )
        return self.search(access, query, RecordFilters(facts=times, **filters), chosen)

    def why_not(
        self, access: Access, query: str, id: str, filters: RecordFilters, options: RecallOptions
    ) -> WhyNot:
        """Explain why a record is, or is not, among the hits of a query."""
        from erstwhile.recall.explain import why_not

        context = self._prepared(access, query, filters, options)
        return access.ask(lambda view: why_not(view, context, filters, options, id), *filters.times)

    def drain(self, access: Access) -> Iterator[int]:
        """Embed the texts in the outbox; yield the size of each batch."""
        return self._outbox.drain(access, self.embedder)

    def flush(self, access: Access, deadline: float | None) -> int:
        """Embed the texts in the outbox up to a time of the monotonic clock; return the rest."""
        for _ in self._outbox.drain(access, self.embedder, early=True):
            if deadline is not None and time.monotonic() > deadline:
                break
        if access.viewer.scope == SHARED:  # the root view embeds for everybody, and counts all
            access = access.seen_by(replace(access.viewer, everything=True))
        return int(access.ask(lambda view: view.rows("count_outbox", {})[0][0]))

    def reembed(
        self,
        access: Access,
        progress: Callable[[int, int], None] | None,
        pairs: Mapping[str, str] | None = None,
    ) -> int:
        """Embed every text with the model of this process; return how many were embedded."""
        return reembed(access, self.embedder, progress, pairs)

    def similarity_to(self, access: Access, text: str) -> tuple[SimilarityFunction, str]:
        """Return a function that compares decisions with a text, and a note if it cannot."""
        embedding, vectors, _ = self._indexes(access)
        query = embedding.query(access.ask(serving_model), text, question=False)
        if vectors is None or isinstance(query, str):
            return lambda _view, _numbers: {}, str(query)

        def similarities(view: View, numbers: Sequence[int]) -> Mapping[int, float]:
            scopes = view.rows("visible_scopes", {})
            partitions = {
                partition_of(scope, PartitionGroup.DECISIONS): size for scope, size in scopes
            }
            return vectors.cosines(view, query, partitions, numbers, refresh=True)

        return similarities, ""

    @property
    def embedder(self) -> Embedder | None:
        """The embedder of this process; None without one."""
        return self._embedding.embedder

    def memory(self) -> int:
        """Return the bytes of vectors that this process holds."""
        return 0 if self._lazy_vectors is None else self._lazy_vectors.memory

    def _indexes(self, access: Access) -> tuple[Embedding, VectorSearch | None, TermCounts]:
        """Return what a query is compared with; there is no vector search without an embedder."""
        embedding = self._embedding
        with self._lock:
            if self._lazy_vectors is None and embedding.embedder is not None:
                # Imported here: a memory without an embedder needs no numpy.
                from erstwhile.recall.vector_search import choose_vector_search

                self._lazy_vectors = choose_vector_search(access)
            return embedding, self._lazy_vectors, self._counts

    @cached_property
    def _reranking(self) -> Reranking:
        from erstwhile.recall.reranking import Reranking

        return Reranking(self._make_reranker, self._wait)

    @property
    def _embedding(self) -> Embedding:
        """The embedder, created once: the worker and a query may need it at the same time."""
        with self._lock:
            if self._lazy_embedding is None:
                self._lazy_embedding = Embedding(self._make_embedder(), self._wait)
            return self._lazy_embedding
