"""Search for the records that matter for a query, best first, with their best passage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeAlias

from erstwhile.context.budget import MOST_FOUND, first_found
from erstwhile.context.model import Section
from erstwhile.context.request import ContextRequest
from erstwhile.conversations.conversation import Conversation, Message, Role
from erstwhile.conversations.queries import MessageQuery
from erstwhile.conversations.table import ConversationTable
from erstwhile.facts.fact import Fact
from erstwhile.facts.filters import Filters
from erstwhile.recall.hits import FactHits, RecallOptions
from erstwhile.records.model import Lesson, Observation
from erstwhile.records.observations import Observations
from erstwhile.search import words
from erstwhile.services import Services
from erstwhile.storage.access import Access

Findable: TypeAlias = Fact | Message | Conversation | Observation | Lesson
"""The records that a search can find."""
_SPOKEN = (Role.USER, Role.ASSISTANT)
"""Other conversations contribute no results of tools, because tools are not trusted."""
_USUAL_TOKEN = 4
"""The characters of a token in most texts."""
_MARK = 5
"""The tokens of an item beside its text."""
_MORE = 4
LONGEST_QUERY = 10_000
_PASSAGE = re.compile(r"(?:[^.!?\n。！？]*[.!?\n。！？]+){1,3}|[^.!?\n。！？]+\Z")
_RATIO, _ENOUGH, _READ = 4, 3, 50_000


@dataclass(frozen=True, slots=True)
class Found:
    """A record that was found, and where in its text the best passage is."""

    record: Findable
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The answer of a search."""

    found: Sequence[Found] = ()
    unread: int = 0
    """The number of relevant records beyond the limit of the search."""
    below_floor: int = 0
    notices: tuple[str, ...] = ()


def search(access: Access, services: Services, request: ContextRequest) -> SearchResult:
    """Find enough to fill the budget, or all that is relevant."""
    if not request.query or not request.tokens:
        return SearchResult()
    limit = first_found(request.tokens)
    while True:
        findings = _search(access, services, request, limit)
        if len(findings.found) < limit or limit == MOST_FOUND:
            return findings
        if _size(findings.found) >= request.tokens:
            return findings
        limit = min(limit * _MORE, MOST_FOUND)


def _size(found: Iterable[Found]) -> int:
    """Return about how many tokens the passages have."""
    return sum((each.end - each.start) // _USUAL_TOKEN + _MARK for each in found)


def _search(
    access: Access, services: Services, request: ContextRequest, limit: int
) -> SearchResult:
    """Search facts, messages and observations one after the other, and mix the answers."""
    facts = _facts(access, services, request, limit)
    mixed = zip_longest(
        [Found(hit.fact, 0, len(hit.fact.text)) for hit in facts or ()],
        _messages(access, services, request, limit),
        _observations(access, services, request, limit),
    )
    return SearchResult(
        found=[each for row in mixed for each in row if each is not None],
        below_floor=facts.trace.below_floor if facts else 0,
        notices=facts.trace.notices if facts else (),
    )


def _facts(
    access: Access, services: Services, request: ContextRequest, limit: int
) -> FactHits | None:
    if Section.FACTS not in request.needs:
        return None
    return services.recall.search(access, request.query, Filters(), RecallOptions(limit=limit))


def _messages(
    access: Access, services: Services, request: ContextRequest, limit: int
) -> Iterator[Found]:
    if Section.CONVERSATIONS not in request.needs:
        return
    table, query = ConversationTable(services.idle), request.query
    search = MessageQuery(query=query, limit=limit, role=_SPOKEN)
    terms = frozenset(words.query_terms(query))
    for hit in access.ask(lambda view: search.hits(view, table)):
        if _is_relevant(terms, hit.message.content):
            yield Found(hit.message, *_best_passage(hit.message.content, terms))


def _observations(
    access: Access, services: Services, request: ContextRequest, limit: int
) -> Iterator[Found]:
    if Section.OBSERVATIONS not in request.needs:
        return
    query = request.query[:LONGEST_QUERY]
    terms = frozenset(words.query_terms(query))
    for hit in Observations(access, services).search(query, limit=limit):
        if _is_relevant(terms, hit.observation.searched):
            yield Found(hit.observation, 0, len(hit.observation.searched))


def _is_relevant(query_terms: frozenset[str], text: str) -> bool:
    """Return whether a text has enough of the query terms. One common word is not enough."""
    shared = query_terms.intersection(words.query_terms(text[:_READ]))
    return len(shared) * _RATIO >= len(query_terms) or len(shared) >= _ENOUGH


def _best_passage(text: str, terms: frozenset[str]) -> tuple[int, int]:
    """Return where the few sentences with the most query terms begin and end."""
    passages = [found.span() for found in _PASSAGE.finditer(text[:_READ])] or [(0, len(text))]
    return max(
        passages,
        key=lambda span: len(terms.intersection(words.query_terms(text[span[0] : span[1]]))),
    )
