"""Gathering: what each section may hold, read on one snapshot, and no more than could fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from erstwhile.blocks.block import Block
from erstwhile.blocks.collection import Blocks
from erstwhile.blocks.content import is_archived
from erstwhile.context.budget import most_items
from erstwhile.context.model import Section
from erstwhile.context.request import Asked
from erstwhile.conversations import operations as talking
from erstwhile.conversations.collection import Conversations
from erstwhile.conversations.conversation import Conversation, MessageHit, Role, Transcript
from erstwhile.conversations.reading import Search, transcript_of
from erstwhile.conversations.table import Idleness
from erstwhile.core.kinds import Kind
from erstwhile.core.lockfree_property import cached_property
from erstwhile.facts.always_included import PINNED, standing
from erstwhile.facts.conflict_table import open_among
from erstwhile.facts.fact import Fact
from erstwhile.profile import onboarding
from erstwhile.profile.collection import live_values, sort_values
from erstwhile.profile.onboarding import OnboardingStage
from erstwhile.records.lessons import Lessons
from erstwhile.records.model import Lesson, Observation, Outcome
from erstwhile.records.observations import Observations
from erstwhile.records.outcomes import Outcomes
from erstwhile.search import words
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.storage.view import View
from erstwhile.tasks.collection import Tasks
from erstwhile.tasks.task import Task

MOST = 50
"""Of what is always there."""
FEW = 8
"""Of what was searched for, or is told as an example."""
MOST_MESSAGES = 200
LONGEST_QUERY = 10_000
"""Characters of a question that observations are searched for; more tell no more."""
_TELLING = 4
"""What was found must hold a quarter of the words that were looked for,"""
_ENOUGH = 3
"""or three of them,"""
_READ = 50_000
"""among so many characters."""
_STANDING = {
    PINNED: {Section.RULES, Section.PROFILE, Section.PROJECT},
    Kind.PROFILE: {Section.PROFILE},
    Kind.PROJECT: {Section.PROJECT},
    Kind.ENVIRONMENT: {Section.PROJECT},
}
"""Facts that matter whatever is asked, and the sections in which they may stand."""


@dataclass(slots=True, kw_only=True)
class Gathered:
    """What was found, in the order in which it should go in."""

    values: Mapping[str, Fact]
    """The value that each key has here."""
    standing: Sequence[Fact]
    clashes: Sequence[tuple[str, str]] = ()
    """Pairs among all facts, recalled ones included, that may contradict each other."""
    blocks: Sequence[Block] = ()
    related: list[MessageHit] = field(default_factory=list)
    summed_up: dict[str, Conversation] = field(default_factory=dict)
    """Those of the conversations in `related` that have a summary, by their ids."""
    lessons: Sequence[Lesson] = ()
    outcomes: Sequence[Outcome] = ()
    observations: Sequence[Observation] = ()
    tasks: Sequence[Task] = ()
    transcript: Transcript | None = None
    stage: OnboardingStage | None = None


def gather(access: Access, services: Services, asked: Asked, recalled: Iterable[Fact]) -> Gathered:
    """Everything but what was recalled, on one view of the store."""
    return access.ask(lambda view: _Gathering(view, access, services, asked).beside(recalled))


class _Gathering:
    def __init__(self, view: View, access: Access, services: Services, asked: Asked) -> None:
        self._view = view
        self._at = access.at(view)
        self._asked = asked
        self._services = services
        self._most = most_items(asked.tokens, MOST)
        self._few = most_items(asked.tokens, FEW)
        self._chats = Conversations(self._at, services)

    def beside(self, recalled: Iterable[Fact]) -> Gathered:
        found = Gathered(values=self._values(), standing=[*self._standing()])
        needs, at = self._asked.needs, self._at
        facts = (*found.values.values(), *found.standing, *recalled)
        found.clashes = open_among(self._view, dict.fromkeys(fact.id for fact in facts))
        if Section.BLOCKS in needs:
            found.blocks = [*self._blocks()]
        self._gather_talk(found)
        if Section.LESSONS in needs:
            found.lessons = Lessons(at, self._services).list(limit=self._most)
        if Section.OUTCOMES in needs:
            found.outcomes = Outcomes(at, self._services).list(limit=self._few)
        if Section.OBSERVATIONS in needs and self._asked.query:
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
            if not sections.isdisjoint(self._asked.needs):
                yield from standing(self._view, which, self._most)

    def _blocks(self) -> Iterator[Block]:
        """Of each name the one that it means here."""
        names: set[str] = set()
        for block in Blocks(self._at, self._services).list(limit=self._most):
            if block.name not in names and block.content.strip():
                yield block
            names.add(block.name)

    def _gather_talk(self, found: Gathered) -> None:
        needs = self._asked.needs
        if needs.isdisjoint((Section.HISTORY, Section.CONVERSATIONS)):
            return
        current = self._current()
        if Section.HISTORY in needs and current is not None:
            most = most_items(self._asked.tokens // 2, MOST_MESSAGES)
            found.transcript = transcript_of(self._view, current, most)
        if Section.CONVERSATIONS in needs and self._asked.query:
            found.related = self._related(current)
            for id in dict.fromkeys(hit.message.conversation for hit in found.related):
                conversation = self._chats.get(id)
                if conversation.summary is not None:
                    found.summed_up[conversation.id] = conversation

    def _current(self) -> Conversation | None:
        """The one that was named, or that is going on. Asking begins none."""
        if self._asked.conversation is not None:
            return self._chats.get(self._asked.conversation)
        if self._view.viewer.everything:
            return None
        return talking.find_current(self._view, Idleness(self._services.idle), self._asked.channel)

    def _related(self, current: Conversation | None) -> list[MessageHit]:
        """What people and the agent said; what tools brought is no memory of theirs."""
        search = Search(
            query=self._asked.query,
            limit=self._few,
            role=(Role.USER, Role.ASSISTANT),
            exclude=None if current is None else current.id,
        )
        found = search.hits(self._view, Idleness(self._services.idle), words)
        return [hit for hit in found if is_telling(self._terms, hit.message.content)]

    def _observations(self) -> Iterator[Observation]:
        query = self._asked.query[:LONGEST_QUERY]
        for seen in Observations(self._at, self._services).search(query, limit=self._few):
            if is_telling(self._terms, seen.searched):
                yield seen

    @cached_property
    def _terms(self) -> frozenset[str]:
        return frozenset(words.query_terms(self._asked.query))


def is_telling(asked: frozenset[str], text: str) -> bool:
    """Whether a text holds enough of the words: one common word makes nothing matter."""
    shared = asked.intersection(words.query_terms(text[:_READ]))
    return len(shared) * _TELLING >= len(asked) or len(shared) >= _ENOUGH
