"""Gather the records for each section, on one snapshot, and no more than could fit."""

from __future__ import annotations

from collections.abc import Iterator

from erstwhile.blocks.block import Block
from erstwhile.blocks.collection import Blocks
from erstwhile.blocks.content import is_archived
from erstwhile.context.budget import GUARANTEES, guarantee, most_items
from erstwhile.context.found import search
from erstwhile.context.gathered import Gathered, SearchResult
from erstwhile.context.history import read_history
from erstwhile.context.model import Section
from erstwhile.context.request import ContextRequest
from erstwhile.conversations.changes import find_current
from erstwhile.conversations.collection import Conversations
from erstwhile.conversations.conversation import Conversation, Message, Role
from erstwhile.conversations.messages import last_messages
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.kinds import Kind
from erstwhile.facts.conflict import open_among
from erstwhile.facts.fact import Fact
from erstwhile.facts.table import FACTS, PINNED
from erstwhile.profile import onboarding
from erstwhile.profile.collection import live_values, sort_values
from erstwhile.records.lessons import Lessons
from erstwhile.records.outcomes import Outcomes
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.storage.view import View
from erstwhile.tasks.collection import Tasks

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
            found.stage = onboarding.due_stage(self._view)
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
