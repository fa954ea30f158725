"""Answer a query: parse it, embed it, then search on one view of the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from erstwhile.core.ports import Row
from erstwhile.core.time import Moment
from erstwhile.recall.embedding import Embedding
from erstwhile.recall.parsed_query import ParsedQuery, parse_query
from erstwhile.recall.recall import Means, Recall
from erstwhile.recall.request import RecallOptions, RecordFilters
from erstwhile.recall.stored_models import StoredModel, send_for_models, serving_model
from erstwhile.recall.term_counts import TermCounts
from erstwhile.recall.vector_search import VectorSearch
from erstwhile.recall.waiting import WaitingVectors, newest_waiting, send_for_waiting
from erstwhile.storage import passages
from erstwhile.storage.access import Access
from erstwhile.storage.view import View

Result = TypeVar("Result")


class QueryParts(NamedTuple):
    """What all queries of one memory share."""

    embedding: Embedding
    vectors: VectorSearch
    counts: TermCounts


def answered(
    access: Access,
    text: str,
    parts: QueryParts,
    filters: RecordFilters,
    options: RecallOptions,
    answer: Callable[[Recall], Result],
) -> Result:
    """Search for a text. No transaction is open while the model embeds it."""
    times = filters.facts.get("as_of"), filters.facts.get("known_at")
    means = _means(access, text, parts, times) if parts.embedding.embedder else None

    def searched(view: View) -> Result:
        return answer(Recall(view, means or _words_alone(view, text, parts), filters, options))

    return access.ask(searched, *times)


def _words_alone(view: View, text: str, parts: QueryParts) -> Means:
    """Parse a query in the view that is searched: no model is asked in between."""
    passages.send_for_shelves(view)
    notice = parts.vectors.obstacle(view) or parts.embedding.query(None, text)
    return Means(parse_query(view, text), notice, parts.vectors, WaitingVectors(), parts.counts)


def _means(
    access: Access, text: str, parts: QueryParts, times: tuple[Moment | None, Moment | None]
) -> Means:
    """Parse and embed a query, and the newest texts that wait for their vectors."""

    def asked(view: View) -> tuple[ParsedQuery, StoredModel | None, str | None, list[Row]]:
        send_for_models(view)
        send_for_waiting(view)
        return (
            parse_query(view, text),
            serving_model(view),
            parts.vectors.obstacle(view),
            newest_waiting(view),
        )

    parsed, serving, obstacle, waiting = access.ask(asked, *times)
    vector = obstacle or parts.embedding.query(serving, parsed.embedded)
    fresh = parts.embedding.waiting_vectors([] if isinstance(vector, str) else waiting)
    return Means(parsed, vector, parts.vectors, fresh, parts.counts)
