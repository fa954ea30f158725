"""The door to recall. What is behind it needs numpy and a model, and is loaded when first used."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from erstwhile.core.page import MAX_LIMIT
from erstwhile.core.ports import Embedder
from erstwhile.core.text import checked_text
from erstwhile.facts.draft import MAX_TEXT
from erstwhile.facts.filters import Filters
from erstwhile.recall.term_counts import TermCounts
from erstwhile.storage.access import Access
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.recall.embedding import Embedding
    from erstwhile.recall.hits import FactHits, Options, WhyNot
    from erstwhile.recall.recall import Recall
    from erstwhile.recall.vector_search import VectorSearch

Result = TypeVar("Result")
ByMeaning: TypeAlias = Callable[[View, Sequence[int]], Mapping[int, float]]
"""Gives the similarity of records to a text, by their numbers among the vectors."""


class SearchService:
    """Recall and its vectors, shared by all views of one memory."""

    def __init__(self, make_embedder: Callable[[], Embedder | None]) -> None:
        self._make_embedder = make_embedder
        self._making = Lock()
        self._made: Embedding | None = None
        self._searched: VectorSearch | None = None
        self._counts = TermCounts()

    def recall(self, access: Access, query: str, filters: Filters, options: Options) -> FactHits:
        return self._asked(access, query, filters, options, lambda recall: recall.hits())

    def why_not(
        self, access: Access, query: str, id: str, filters: Filters, options: Options
    ) -> WhyNot:
        from erstwhile.recall.explain import why_not

        deep = replace(options, limit=MAX_LIMIT)
        return self._asked(
            access, query, filters, deep, lambda recall: why_not(recall, id, options.limit)
        )

    def drain(self, access: Access) -> Iterator[int]:
        """Embed what waits, a batch at a time."""
        return self._embedding.drain(access)

    def flush(self, access: Access, timeout: float | None) -> int:
        """Embed what waits, for at most so many seconds; how many facts still wait."""
        deadline = None if timeout is None else time.monotonic() + timeout
        for _ in self.drain(access):
            if deadline is not None and time.monotonic() > deadline:
                break
        return int(access.ask(lambda view: view.rows("count_outbox", {})[0][0]))

    def reembed(self, access: Access, progress: Callable[[int, int], None] | None) -> int:
        from erstwhile.recall.reembed import reembed

        return reembed(access, self._embedding.embedder, progress)

    def likeness(self, access: Access, text: str) -> tuple[ByMeaning, str]:
        """How decisions are compared with a text by meaning; if they cannot be, also why."""
        from erstwhile.recall.embedding import serving_model

        meaning = self._embedding.query(access.ask(serving_model), text, question=False)
        if isinstance(meaning, str):
            return by_no_meaning, meaning
        vectors = self._vectors(access)

        def by_meaning(view: View, numbers: Sequence[int]) -> Mapping[int, float]:
            scopes = {-scope: size for scope, size in view.rows("visible_scopes", {})}
            return vectors.compared(view, meaning, scopes, numbers)

        return by_meaning, ""

    def memory(self) -> int:
        """Bytes that this process holds of vectors."""
        return 0 if self._searched is None else self._searched.memory

    def _asked(
        self,
        access: Access,
        query: str,
        filters: Filters,
        options: Options,
        answer: Callable[[Recall], Result],
    ) -> Result:
        """Understand, embed, search: two short reads, and no model is waited for inside one."""
        from erstwhile.recall.embedding import serving_model
        from erstwhile.recall.question import understand
        from erstwhile.recall.recall import Recall

        text = checked_text(query, name="query", limit=MAX_TEXT)
        place = filters.get("as_of"), filters.get("known_at")
        vectors = self._vectors(access)
        question, serving, obstacle = access.ask(
            lambda view: (understand(view, text), serving_model(view), vectors.obstacle(view)),
            *place,
        )
        meaning = obstacle or self._embedding.query(serving, question.embedded)
        return access.ask(
            lambda view: answer(
                Recall(view, question, meaning, vectors, self._counts, filters, options)
            ),
            *place,
        )

    def _vectors(self, access: Access) -> VectorSearch:
        with self._making:
            if self._searched is None:
                self._searched = _vector_search(access)
            return self._searched

    @property
    def _embedding(self) -> Embedding:
        """Made by one thread for all: the worker and a question may come at the same time."""
        from erstwhile.recall.embedding import Embedding

        with self._making:
            if self._made is None:
                self._made = Embedding(self._make_embedder())
            return self._made


def by_no_meaning(_view: View, _numbers: Sequence[int]) -> Mapping[int, float]:
    """Compare nothing: used where there is no embedder."""
    return {}


def _vector_search(access: Access) -> VectorSearch:
    """In the database, where its engine can; else in this process."""
    if access.offers("nearest_vectors"):
        from erstwhile.recall.vectors_in_database import VectorsInDatabase

        return VectorsInDatabase()
    from erstwhile.recall.vectors_in_process import VectorsInProcess

    return VectorsInProcess()
