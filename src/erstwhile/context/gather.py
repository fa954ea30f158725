"""Gather the records for a context: search, then read each section on one snapshot.

No more is read than could fit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import islice
from math import sqrt
from typing import TypeVar

from erstwhile.blocks.block import Block
from erstwhile.blocks.collection import Blocks
from erstwhile.context.breadth import asks_what_user_said, is_reordered, is_within
from erstwhile.context.budget import GUARANTEES, MAX_FOUND, guarantee, most_items
from erstwhile.context.escaping import escaped
from erstwhile.context.history import History, read_history, shorten
from erstwhile.context.model import SECTIONS, ContextRequest, Section
from erstwhile.conversations.conversation import Conversation, Message, Role
from erstwhile.conversations.messages import last_messages
from erstwhile.conversations.table import ConversationTable, MessageFilters
from erstwhile.core.kinds import Kind, TextKind
from erstwhile.core.results import Trace
from erstwhile.core.text import without_memory
from erstwhile.core.time import EPOCH
from erstwhile.facts.conflict import open_among
from erstwhile.facts.fact import Fact
from erstwhile.facts.queries import Filters
from erstwhile.facts.table import FACTS, PINNED
from erstwhile.profile.collection import OnboardingStage, due_stage, live_values, sort_values
from erstwhile.recall.filters import RecallOptions, RecordFilters
from erstwhile.recall.hits import RecallHits
from erstwhile.recall.relevance import STRONG, MemorySize, log_odds
from erstwhile.records.lessons import Lessons
from erstwhile.records.model import Lesson, Outcome
from erstwhile.records.outcomes import Outcomes
from erstwhile.search.periods import named_period
from erstwhile.search.topic import is_small_talk
from erstwhile.services import Services
from erstwhile.storage import passages
from erstwhile.storage.access import Access
from erstwhile.storage.view import View
from erstwhile.tasks.collection import Tasks
from erstwhile.tasks.task import Task

Kept = TypeVar("Kept", Block, Lesson, Task)
_WEAKEST = 0.05
"""The lowest relevance of what follows a strong hit: a model reads past what it does not need, and
misses what is not there."""
_NEAR = 2.5
"""How far below the best hit a weak one may be, in the logarithm of the odds, in a small memory."""
_NO_HITS = RecallHits(
    (),
    Trace(terms=(), names=(), embedded=None, period=None, candidates=0, below_floor=0, notices=()),
)


@dataclass(slots=True, kw_only=True)
class Gathered:
    """The gathered records, most important first."""

    values: Mapping[str, Fact]
    """The current value of each key."""
    standing: Sequence[Fact]
    clashes: Sequence[tuple[str, str]] = ()
    """Pairs of ids of facts, recalled ones included, that may contradict each other."""
    blocks: Sequence[Block] = ()
    findings: RecallHits
    current: Conversation | None = None
    summarised: dict[str, Conversation] = field(default_factory=dict)
    """The conversations of found messages that have a summary, by id."""
    topics: dict[str, str] = field(default_factory=dict)
    """The titles or first words of the conversations of found messages, by id."""
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


_MIN_FACTS = 25
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
_SPOKEN = (Role.USER, Role.ASSISTANT)
"""Results of tools are no messages of people: tools are not trusted."""
_BREADTH = 1.5
"""How many times as much is read as likely fits: what is quoted in a line takes less room, and the
records of whom a question names come first."""
_NARROW = 1.25
"""The same where neither is the case: short facts, best first."""
_AHEAD = timedelta(days=90)
"""How long before they begin facts are of use."""
_FULL = 0.9
"""The share of the budget that is worth another search."""


def search(access: Access, services: Services, request: ContextRequest) -> RecallHits:
    """Find enough to fill the budget, or all that is relevant."""
    among = frozenset(kind for kind, section in SECTIONS.items() if section in request.needs)
    says_nothing = is_small_talk(request.query) and not request.fill
    if not among or not request.query or not request.tokens or says_nothing:
        return _NO_HITS
    of_user = asks_what_user_said(request.query)
    spoken = _filters(request, (Role.USER,) if of_user else _SPOKEN)
    period = named_period(request.query, request.now or access.clock.now())
    ranged = period is not None and period[0] > EPOCH
    floor = 0.0 if request.fill else _WEAKEST if ranged or of_user else None
    stored = access.ask(lambda view: _stored(view, among))
    groups = {partition.group for partition in stored}
    shared = frozenset(kind for kind in among & _SHARED if passages.group_of(kind) in groups)
    enough = _first_limit(stored, request.tokens)
    breadth = _BREADTH if TextKind.MESSAGES in shared or is_reordered(request.query) else _NARROW
    while True:
        options = RecallOptions(
            limit=min(int(breadth * enough), MAX_FOUND),
            enough=enough,
            among=among,
            ahead=_AHEAD,
            rerank=True,
            floor=floor,
            weakest=_WEAKEST,
        )
        result = services.recall.search(access, request.query, spoken, options)
        if not request.fill:
            result = _near_the_best(_within_period(result) if ranged else result)
        if len(result) < enough:
            return result
        size = sum((hit.passage.end - hit.passage.start) // _USUAL_TOKEN + _MARK for hit in result)
        if enough == MAX_FOUND or size >= request.tokens * _FULL:
            return _completed(access, services, request, result, shared)
        enough = min(enough * request.tokens // size + 1, MAX_FOUND)


def _filters(request: ContextRequest, roles: Sequence[Role]) -> RecordFilters:
    return RecordFilters(
        facts=Filters(as_of=request.now), messages=MessageFilters(role=tuple(roles))
    )


def _within_period(result: RecallHits) -> RecallHits:
    """Leave out weak hits outside of the period that the query names, if none is strong."""
    if not all(hit.is_weak for hit in result):
        return result
    inside = is_within(result.trace.period)
    return replace(result, hits=tuple(hit for hit in result if inside(hit)))


def _near_the_best(result: RecallHits) -> RecallHits:
    """Leave out weak hits that are much weaker than the best one, in a small memory.

    The logarithm of the odds of relevance is compared. A large memory has so much that is near that
    this would only cost evidence.
    """
    best = max((hit.relevance for hit in result), default=0.0)
    size = MemorySize.of(result.trace.passages, 0.0, has_subject=False).size
    if best < STRONG or size == 1:
        return result
    lowest = log_odds(best) - _NEAR / (1 - size)
    kept = tuple(hit for hit in result if not hit.is_weak or log_odds(hit.relevance) >= lowest)
    below_floor = result.trace.below_floor + len(result) - len(kept)
    return replace(result, hits=kept, trace=replace(result.trace, below_floor=below_floor))


def _stored(view: View, among: frozenset[TextKind]) -> list[passages.Partition]:
    """Return the visible partitions of these kinds that are not empty."""
    visible = passages.partitions(view, map(passages.group_of, among))
    return [partition for partition in visible if partition.passages > 0]


def _first_limit(stored: Sequence[passages.Partition], tokens: int) -> int:
    """Return how many records likely fill the budget, by the usual size of passages here.

    Among short facts and long messages, the weight of each group grows with its size, and short
    ones count more: it takes more of them.
    """
    weights, items = 1.0, 1.0 / _USUAL_SIZE
    for partition in stored:
        weight = sqrt(partition.passages)
        size = partition.terms / partition.passages * _TOKENS_PER_TERM + _MARK
        weights, items = weights + weight, items + weight / size
    return max(_MIN_FACTS, min(int(tokens * _SPARE * items / weights), MAX_FOUND))


def _completed(
    access: Access,
    services: Services,
    request: ContextRequest,
    result: RecallHits,
    shared: frozenset[TextKind],
) -> RecallHits:
    """Add the best of a stored kind that many others kept out, so that its section has a share."""
    missing = shared - {hit.kind for hit in result}
    if not missing:
        return result
    few = RecallOptions(limit=max(len(result) // _FEW, 1), among=missing)
    more = services.recall.search(access, request.query, _filters(request, _SPOKEN), few)
    return replace(result, hits=(*result, *more))


_SHORT = 60
"""A message of the user with fewer characters is likely an answer to the message before."""
_MAX_ANSWERS = 30
"""The most short answers for which the message before is read."""
_MAX_DESCRIBED = 10
"""The most conversations whose summary and topic are read: those with the best messages."""
_MAX_TOPIC = 60
_READ = 1_000
"""The characters of a first message that are read for its first words."""
_STANDING = {
    PINNED: {Section.RULES, Section.PROFILE, Section.PROJECT},
    Kind.INSTRUCTION: {Section.INSTRUCTIONS},
    Kind.PROFILE: {Section.PROFILE},
    Kind.PROJECT: {Section.PROJECT},
    Kind.ENVIRONMENT: {Section.PROJECT},
}
"""Facts that do not depend on the query, and the sections that they may go to."""


def gather(
    findings: RecallHits, access: Access, services: Services, request: ContextRequest, view: View
) -> Gathered:
    """Read the records of all sections besides the findings, on one view of the store."""
    at, needs, most = access.at(view), request.needs, most_items(request.tokens)
    values = sort_values(live_values(view))
    found = Gathered(
        findings=findings,
        values={fact.key: fact for fact in values if fact.key},
        standing=[
            fact
            for which, sections in _STANDING.items()
            if not sections.isdisjoint(needs)
            for fact in FACTS.always_included(view, which, most)
        ],
    )
    recalled = [hit.record for hit in findings if isinstance(hit.record, Fact)]
    facts = (*found.values.values(), *found.standing, *recalled)
    found.clashes = open_among(view, dict.fromkeys(fact.id for fact in facts))
    if not needs.isdisjoint((Section.HISTORY, Section.CONVERSATIONS)):
        _gather_conversations(found, view, ConversationTable(services.idle), request)
    if Section.BLOCKS in needs:
        narrowest = dict[str, Block]()
        for block in _until(request, Blocks(at, services).list(limit=most)):
            narrowest.setdefault(block.name, block)
        found.blocks = [block for block in narrowest.values() if block.content.strip()]
    if Section.LESSONS in needs:
        found.lessons = _until(request, Lessons(at, services).list(limit=most))
    if Section.OUTCOMES in needs:
        few = most_items(guarantee(request.tokens, GUARANTEES[Section.OUTCOMES]))
        found.outcomes = Outcomes(at, services).list(limit=few, until=request.now)
    if Section.TASKS in needs:
        found.tasks = _until(request, Tasks(at, services).list(limit=most))
    if Section.ONBOARDING in needs and not view.viewer.everything:
        found.stage = due_stage(view)
    return found


def _until(request: ContextRequest, records: Iterable[Kept]) -> list[Kept]:
    """Leave out the records that did not exist yet at the date of the question."""
    date = request.now
    return [each for each in records if date is None or each.created_at <= date]


def _gather_conversations(
    found: Gathered, view: View, table: ConversationTable, request: ContextRequest
) -> None:
    """Read the named or the current conversation, and what explains the messages found."""
    if request.conversation is not None:
        found.current = table.find(view, request.conversation)
    elif not view.viewer.everything:  # a request never starts a conversation
        found.current = table.find_current(view, request.channel)
    if Section.HISTORY in request.needs and found.current is not None:
        found.history = read_history(view, found.current, request.tokens, request.now)
    messages = [hit.record for hit in found.findings if isinstance(hit.record, Message)]
    ids = dict.fromkeys(each.conversation for each in messages)
    for id in islice(ids, _MAX_DESCRIBED):
        conversation = table.find(view, id)
        if conversation.summary is not None:
            found.summarised[id] = conversation
        if len(ids) > 1 and (topic := _topic(view, conversation, messages)):
            found.topics[id] = topic
    for answer in islice(filter(_is_answer, messages), _MAX_ANSWERS):
        id, position = answer.conversation, answer.position
        for before in last_messages(view, id, limit=1, before=position):
            if before.role is Role.ASSISTANT:
                found.questions[answer.id] = before


def _topic(view: View, conversation: Conversation, messages: Sequence[Message]) -> str:
    """Return the title of a conversation or its first words, in one line that is safe to quote.

    If its first message was found, it needs none.
    """
    text = conversation.metadata.get("title")
    if not isinstance(text, str):
        if any(each.conversation == conversation.id and each.position == 1 for each in messages):
            return ""
        first = last_messages(view, conversation.id, limit=1, before=2)
        text = "".join(each.content for each in first if each.role in (Role.USER, Role.ASSISTANT))
    words = " ".join(without_memory(text[:_READ]).split())
    return escaped(shorten(words, _MAX_TOPIC))


def _is_answer(message: Message) -> bool:
    text = message.content.strip()
    return message.role is Role.USER and len(text) <= _SHORT and not text.endswith(("?", "？"))
