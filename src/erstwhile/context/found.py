"""Search for the records that matter for a query, best first, with their best passage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from erstwhile.context.budget import MOST_FOUND, first_found
from erstwhile.context.gathered import Found, SearchResult
from erstwhile.context.model import Section
from erstwhile.context.request import ContextRequest
from erstwhile.conversations.conversation import Role
from erstwhile.conversations.queries import MessageFilters
from erstwhile.core.kinds import TextKind
from erstwhile.facts.filters import Filters
from erstwhile.recall.request import RecallOptions, RecordFilters
from erstwhile.services import Services
from erstwhile.storage.access import Access

_KINDS = {
    TextKind.FACTS: Section.FACTS,
    TextKind.MESSAGES: Section.CONVERSATIONS,
    TextKind.SUMMARIES: Section.CONVERSATIONS,
    TextKind.OBSERVATIONS: Section.OBSERVATIONS,
    TextKind.LESSONS: Section.LESSONS,
}
"""The section of each kind of records."""
_USUAL_TOKEN = 4
"""The characters of a token in most texts."""
_MARK = 5
"""The tokens of an item beside its text."""
_SHARED = frozenset((TextKind.FACTS, TextKind.MESSAGES))
"""The kinds that share most of the room. Neither may keep out the other."""
_FEW = 5
"""One in so many is found of a kind that others kept out."""
_MORE = 4
"""How many times as many records are searched for if the first do not fill the budget."""


def search(access: Access, services: Services, request: ContextRequest) -> SearchResult:
    """Find enough to fill the budget, or all that is relevant."""
    among = frozenset(kind for kind, section in _KINDS.items() if section in request.needs)
    if not among or not request.query or not request.tokens:
        return SearchResult()
    limit = first_found(request.tokens)
    while True:
        options = RecallOptions(limit=limit, among=among)
        result = _search(access, services, request.query, options)
        if len(result.found) < limit:
            return result
        if limit == MOST_FOUND or _size(result.found) >= request.tokens:
            return _completed(access, services, request.query, result, among)
        limit = min(limit * _MORE, MOST_FOUND)


def _completed(
    access: Access, services: Services, query: str, result: SearchResult, among: frozenset[TextKind]
) -> SearchResult:
    """Add the best of a kind that many others kept out, so that its section has a share."""
    missing = among.intersection(_SHARED) - {each.kind for each in result.found}
    if not missing:
        return result
    few = RecallOptions(limit=max(len(result.found) // _FEW, 1), among=missing)
    more = _search(access, services, query, few).found
    unread = max(result.unread - len(more), 0)
    return replace(result, found=[*result.found, *more], unread=unread)


def _search(access: Access, services: Services, query: str, options: RecallOptions) -> SearchResult:
    """Search once. Results of tools are no messages of people: tools are not trusted."""
    spoken = MessageFilters(role=(Role.USER, Role.ASSISTANT))
    filters = RecordFilters(facts=Filters(), messages=spoken)
    hits = services.recall.search(access, query, filters, options)
    trace = hits.trace
    return SearchResult(
        found=[Found(hit.record, *hit.passage[:2], hit.kind) for hit in hits],
        unread=max(trace.candidates - trace.below_floor - len(hits), 0),
        below_floor=trace.below_floor,
        notices=trace.notices,
    )


def _size(found: Iterable[Found]) -> int:
    """Return about how many tokens the passages have."""
    return sum((each.end - each.start) // _USUAL_TOKEN + _MARK for each in found)
