"""Gather the records for each section, on one snapshot, and no more than could fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from erstwhile.blocks.block import Block
from erstwhile.blocks.collection import Blocks
from erstwhile.blocks.content import is_archived
from erstwhile.context.budget import most_items
from erstwhile.context.model import Section
from erstwhile.context.request import ContextRequest
from erstwhile.conversations.changes import find_current
from erstwhile.conversations.collection import Conversations
from erstwhile.conversations.conversation import Conversation, Role, Transcript
from erstwhile.conversations.queries import MessageFilters, transcript
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.defaults import FLOOR
from erstwhile.core.kinds import Kind
from erstwhile.facts.conflict import open_among
from erstwhile.facts.fact import Fact
from erstwhile.facts.table import FACTS, PINNED
from erstwhile.profile import onboarding
from erstwhile.profile.collection import live_values, sort_values
from erstwhile.profile.onboarding import OnboardingStage
from erstwhile.recall.hits import Hit
from erstwhile.records.lessons import Lessons
from erstwhile.records.model import Lesson, Observation, Outcome
from erstwhile.records.observations import Observations
from erstwhile.records.outcomes import Outcomes
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.storage.view import View
from erstwhile.tasks.collection import Tasks
from erstwhile.tasks.task import Task

MOST = 50
"""The most records of a section that is always included."""
FEW = 8
"""The most records of a section that is searched, or that shows examples."""
MOST_MESSAGES = 200
LONGEST_QUERY = 10_000
"""The characters of a query that are used to search observations."""
_STANDING = {
    PINNED: {Section.RULES, Section.PROFILE, Section.PROJECT},
    Kind.PROFILE: {Section.PROFILE},
    Kind.PROJECT: {Section.PROJECT},
    Kind.ENVIRONMENT: {Section.PROJECT},
}
"""Facts that do not depend on the query, and the sections that they may go to."""


@dataclass(slots=True, kw_only=True)
class Gathered:
    """The gathered records, most important first."""

    values: Mapping[str, Fact]
    """The current value of each key."""
    standing: Sequence[Fact]
    clashes: Sequence[tuple[str, str]] = ()
    """Pairs of ids of facts, recalled ones included, that may contradict each other."""
    blocks: Sequence[Block] = ()
    related: list[Hit] = field(default_factory=list)
    summarised: dict[str, Conversation] = field(default_factory=dict)
    """The conversations of `related` that have a summary, by id."""
    lessons: Sequence[Lesson] = ()
    outcomes: Sequence[Outcome] = ()
    observations: Sequence[Observation] = ()
    tasks: Sequence[Task] = ()
    transcript: Transcript | None = None
    stage: OnboardingStage | None = None


def gather(
    access: Access, services: Services, request: ContextRequest, recalled: Iterable[Fact]
) -> Gathered:
    """Read all records besides the recalled facts, on one view of the store."""
    return access.ask(lambda view: _Gathering(view, access, services, request).beside(recalled))


class _Gathering:
    """One gathering on one view."""

    def __init__(
        self, view: View, access: Access, services: Services, request: ContextRequest
    ) -> None:
        self._view = view
        self._at = access.at(view)
        self._request = request
        self._services = services
        self._most = most_items(request.tokens, MOST)
        self._few = most_items(request.tokens, FEW)
        self._conversations = Conversations(self._at, services)

    def beside(self, recalled: Iterable[Fact]) -> Gathered:
        """Gather everything besides the recalled facts."""
        found = Gathered(values=self._values(), standing=[*self._standing()])
        needs, at = self._request.needs, self._at
        facts = (*found.values.values(), *found.standing, *recalled)
        found.clashes = open_among(self._view, dict.fromkeys(fact.id for fact in facts))
        if Section.BLOCKS in needs:
            found.blocks = [*self._blocks()]
        self._gather_conversations(found)
        if Section.LESSONS in needs:
            found.lessons = Lessons(at, self._services).list(limit=self._most)
        if Section.OUTCOMES in needs:
            found.outcomes = Outcomes(at, self._services).list(limit=self._few)
        if Section.OBSERVATIONS in needs and self._request.query:
            found.observations = [*self._observations()]
        if Section.TASKS in needs:
            found.tasks = Tasks(at, self._services).list(limit=self._most)
        if Section.ONBOARDING in needs and not self._view.viewer.everything:
            found.stage = onboarding.due_stage(self._view)
        return found

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
        current = self._current()
        if Section.HISTORY in needs and current is not None:
            most = most_items(self._request.tokens // 2, MOST_MESSAGES)
            found.transcript = transcript(self._view, current, most)
        if Section.CONVERSATIONS in needs and self._request.query:
            found.related = self._related(current)
            for id in dict.fromkeys(hit.message.conversation for hit in found.related):
                conversation = self._conversations.get(id)
                if conversation.summary is not None:
                    found.summarised[conversation.id] = conversation

    def _current(self) -> Conversation | None:
        """Return the named or the current conversation. A request never starts one."""
        if self._request.conversation is not None:
            return self._conversations.get(self._request.conversation)
        if self._view.viewer.everything:
            return None
        return find_current(
            self._view, ConversationTable(self._services.idle), self._request.channel
        )

    def _related(self, current: Conversation | None) -> list[Hit]:
        """Search messages of users and assistants, without tool output."""
        spoken = MessageFilters(
            role=(Role.USER, Role.ASSISTANT), exclude=None if current is None else current.id
        )
        options = {"limit": self._few, "floor": FLOOR, "since": None, "until": None}
        recall = self._services.recall
        return [*recall.search_messages(self._at, self._request.query, spoken, options)]

    def _observations(self) -> Iterator[Observation]:
        query = self._request.query[:LONGEST_QUERY]
        for hit in Observations(self._at, self._services).search(query, limit=self._few):
            if isinstance(hit.record, Observation):
                yield hit.record
