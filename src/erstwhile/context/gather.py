"""Gather the records for a context: search, then read each section on one snapshot.

No more is read than could fit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt

from erstwhile.blocks.block import Block, is_archived
from erstwhile.blocks.collection import Blocks
from erstwhile.context.budget import GUARANTEES, MOST_FOUND, guarantee, most_items
from erstwhile.context.history import History, read_history
from erstwhile.context.model import SECTIONS, ContextRequest, Section
from erstwhile.conversations.changes import find_current
from erstwhile.conversations.collection import Conversations
from erstwhile.conversations.conversation import Conversation, Message, Role
from erstwhile.conversations.messages import last_messages
from erstwhile.conversations.table import ConversationTable, MessageFilters
from erstwhile.core.kinds import Kind, TextKind
from erstwhile.facts.conflicts import open_among
from erstwhile.facts.fact import Fact
from erstwhile.facts.queries import Filters
from erstwhile.facts.table import FACTS, PINNED
from erstwhile.profile.collection import OnboardingStage, due_stage, live_values, sort_values
from erstwhile.recall.filters import RecallOptions, RecordFilters
from erstwhile.recall.hits import Recalled
from erstwhile.records.lessons import Lessons
from erstwhile.records.model import Lesson, Outcome
from erstwhile.records.outcomes import Outcomes
from erstwhile.services import Services
from erstwhile.storage import passages
from erstwhile.storage.access import Access
from erstwhile.storage.view import View
from erstwhile.tasks.collection import Tasks
from erstwhile.tasks.task import Task


@dataclass(frozen=True, slots=True)
class Found:
    """A record that was found, and where in its text the best passage is."""

    record: Recalled
    start: int
    end: int
    kind: TextKind


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The answer of a search."""

    found: Sequence[Found] = ()
    unread: int = 0
    """The number of relevant records beyond the limit of the search."""
    below_floor: int = 0
    notices: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Gathered:
    """The gathered records, most important first."""

    values: Mapping[str, Fact]
    """The current value of each key."""
    standing: Sequence[Fact]
    clashes: Sequence[tuple[str, str]] = ()
    """Pairs of ids of facts, recalled ones included, that may contradict each other."""
    blocks: Sequence[Block] = ()
    findings: SearchResult = field(default_factory=SearchResult)
    current: Conversation | None = None
    summarised: dict[str, Conversation] = field(default_factory=dict)
    """The conversations of found messages that have a summary, by id."""
    questions: dict[str, Message] = field(default_factory=dict)
    """The message before each short answer, by the id of the answer."""
    lessons: Sequence[Lesson] = ()
    outcomes: Sequence[Outcome] = ()
    tasks: Sequence[Task] = ()
    history: History | None = None
    stage: OnboardingStage | None = None

    def is_overridden(self, fact: Fact) -> bool:
        """Return whether the key of a fact has another value from a narrower scope."""
        value = None if fact.key is None else self.values.get(fact.key)
        return value is not None and value.id != fact.id

    def contradictions(self, among: Collection[str] | None = None) -> dict[str, list[str]]:
        """Return the ids that each fact may contradict; with `among`, only pairs of these."""
        against: dict[str, list[str]] = {}
        for pair in self.clashes:
            if among is None or all(id in among for id in pair):
                for one, other in (pair, pair[::-1]):
                    against.setdefault(one, []).append(other)
        return against


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
    for partition in passages.partitions(view, map(passages.group_of, among)):
        if partition.passages > 0:
            weight = sqrt(partition.passages)
            size = partition.terms / partition.passages * _TOKENS_PER_TERM + _MARK
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


_SHORT = 60
"""A message of the user with fewer characters is likely an answer to the message before."""
_MOST_ANSWERS = 30
"""The most short answers for which the message before is read."""
_MOST_SUMMARIES = 10
"""The most conversations whose summary is read: those with the best messages."""
_STANDING = {
    PINNED: {Section.RULES, Section.PROFILE, Section.PROJECT},
    Kind.INSTRUCTION: {Section.INSTRUCTIONS},
    Kind.PROFILE: {Section.PROFILE},
    Kind.PROJECT: {Section.PROJECT},
    Kind.ENVIRONMENT: {Section.PROJECT},
}
"""Facts that do not depend on the query, and the sections that they may go to."""


def gather(access: Access, services: Services, request: ContextRequest) -> Gathered:
    """Search, then read all other records on one view of the store."""
    findings = search(access, services, request)
    return access.ask(lambda view: _Gathering(view, access, services, request).beside(findings))


class _Gathering:
    """One gathering on one view."""

    def __init__(
        self, view: View, access: Access, services: Services, request: ContextRequest
    ) -> None:
        self._view = view
        self._at = access.at(view)
        self._request = request
        self._services = services
        self._most = most_items(request.tokens)
        self._conversations = Conversations(self._at, services)

    def beside(self, findings: SearchResult) -> Gathered:
        """Gather everything besides the findings."""
        values, standing = self._values(), [*self._standing()]
        found = Gathered(values=values, standing=standing, findings=findings)
        recalled = [each.record for each in findings.found if isinstance(each.record, Fact)]
        facts = (*values.values(), *standing, *recalled)
        found.clashes = open_among(self._view, dict.fromkeys(fact.id for fact in facts))
        self._gather_conversations(found)
        self._gather_listed(found)
        if Section.ONBOARDING in self._request.needs and not self._view.viewer.everything:
            found.stage = due_stage(self._view)
        return found

    def _gather_listed(self, found: Gathered) -> None:
        needs, at, services = self._request.needs, self._at, self._services
        if Section.BLOCKS in needs:
            found.blocks = [*self._blocks()]
        if Section.LESSONS in needs:
            found.lessons = Lessons(at, services).list(limit=self._most)
        if Section.OUTCOMES in needs:
            few = most_items(guarantee(self._request.tokens, GUARANTEES[Section.OUTCOMES]))
            found.outcomes = Outcomes(at, services).list(limit=few)
        if Section.TASKS in needs:
            found.tasks = Tasks(at, services).list(limit=self._most)

    def _values(self) -> dict[str, Fact]:
        values = sort_values(live_values(self._view))
        return {fact.key: fact for fact in values if fact.key and not is_archived(fact)}

    def _standing(self) -> Iterator[Fact]:
        for which, sections in _STANDING.items():
            if not sections.isdisjoint(self._request.needs):
                yield from FACTS.always_included(self._view, which, self._most)

    def _blocks(self) -> Iterator[Block]:
        """Yield the visible block of each name; the narrowest scope comes first."""
        names: set[str] = set()
        for block in Blocks(self._at, self._services).list(limit=self._most):
            if block.name not in names and block.content.strip():
                yield block
            names.add(block.name)

    def _gather_conversations(self, found: Gathered) -> None:
        needs = self._request.needs
        if needs.isdisjoint((Section.HISTORY, Section.CONVERSATIONS)):
            return
        found.current = self._current()
        if Section.HISTORY in needs and found.current is not None:
            found.history = read_history(self._view, found.current, self._request.tokens)
        messages = [
            each.record for each in found.findings.found if isinstance(each.record, Message)
        ]
        ids = dict.fromkeys(each.conversation for each in messages)
        for id in [*ids][:_MOST_SUMMARIES]:
            conversation = self._conversations.get(id)
            if conversation.summary is not None:
                found.summarised[id] = conversation
        for answer in [each for each in messages if _is_answer(each)][:_MOST_ANSWERS]:
            before = self._before(answer)
            if before is not None:
                found.questions[answer.id] = before

    def _before(self, answer: Message) -> Message | None:
        """Return what the assistant said before an answer of the user."""
        id, position = answer.conversation, answer.position
        before = last_messages(self._view, id, limit=1, before=position)
        return before[0] if before and before[0].role is Role.ASSISTANT else None

    def _current(self) -> Conversation | None:
        """Return the named or the current conversation. A request never starts one."""
        if self._request.conversation is not None:
            return self._conversations.get(self._request.conversation)
        if self._view.viewer.everything:
            return None
        return find_current(
            self._view, ConversationTable(self._services.idle), self._request.channel
        )


def _is_answer(message: Message) -> bool:
    text = message.content.strip()
    return message.role is Role.USER and len(text) <= _SHORT and not text.endswith(("?", "？"))
