"""Search for the records that matter for a query, best first, with their best passage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import sqrt

from erstwhile.context.budget import MOST_FOUND
from erstwhile.context.gathered import SECTIONS, Found, SearchResult
from erstwhile.context.request import ContextRequest
from erstwhile.conversations.conversation import Role
from erstwhile.conversations.queries import MessageFilters
from erstwhile.core.kinds import TextKind
from erstwhile.facts.filters import Filters
from erstwhile.recall.request import RecallOptions, RecordFilters
from erstwhile.services import Services
from erstwhile.storage import passages
from erstwhile.storage.access import Access
from erstwhile.storage.view import View

_FEWEST = 25
"""The fewest records that are searched for. With fewer, a small context misses evidence."""
_USUAL_SIZE = 60
"""The usual tokens of what a search finds."""
_TOKENS_PER_TERM = 1.35
_SPARE = 1.1
"""How many times as much is searched for as fits: other sections may say it already."""
_USUAL_TOKEN = 4
"""The characters of a token in most texts."""
_MARK = 5
"""The tokens of an item beside its text."""
_SHARED = frozenset((TextKind.FACTS, TextKind.MESSAGES))
"""The kinds that share most of the room. Neither may keep out the other."""
_FEW = 5
"""One in so many is found of a kind that others kept out."""
_FULL = 0.9
"""The share of the budget that is worth another search."""


def search(access: Access, services: Services, request: ContextRequest) -> SearchResult:
    """Find enough to fill the budget, or all that is relevant."""
    among = frozenset(kind for kind, section in SECTIONS.items() if section in request.needs)
    if not among or not request.query or not request.tokens:
        return SearchResult()
    limit = access.ask(lambda view: _first_limit(view, among, request.tokens))
    while True:
        options = RecallOptions(limit=limit, among=among)
        result = _search(access, services, request.query, options)
        if len(result.found) < limit:
            return result
        size = _size(result.found)
        if limit == MOST_FOUND or size >= request.tokens * _FULL:
            return _completed(access, services, request.query, result, among)
        limit = min(limit * request.tokens // size + 1, MOST_FOUND)


def _first_limit(view: View, among: frozenset[TextKind], tokens: int) -> int:
    """Return how many records likely fill the budget, by the usual size of passages here.

    Among short facts and long messages, the weight of each group grows with its size, and short
    ones count more: it takes more of them.
    """
    weights, items = 1.0, 1.0 / _USUAL_SIZE
    for shelf in passages.shelves(view, map(passages.group_of, among)):
        if shelf.passages > 0:
            weight = sqrt(shelf.passages)
            size = shelf.terms / shelf.passages * _TOKENS_PER_TERM + _MARK
            weights, items = weights + weight, items + weight / size
    return max(_FEWEST, min(int(tokens * _SPARE * items / weights), MOST_FOUND))


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
