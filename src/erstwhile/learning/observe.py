"""Observe turns and learn from them: the verbs `observe_turn`, `learn` and `flush`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from erstwhile.conversations import changes
from erstwhile.conversations.conversation import (
    Message,
    MessageDraft,
    Role,
    draft_message,
    resolve_channel,
)
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.flushed import Flushed
from erstwhile.core.scope import SHARED, Viewer
from erstwhile.core.time import Moment
from erstwhile.facts.draft import limited
from erstwhile.learning import attempt_table, progress_table
from erstwhile.learning.attempt import Attempt, AttemptOutcome, Observed
from erstwhile.learning.progress import Waiting
from erstwhile.learning.turn import INJECTED
from erstwhile.storage.access import Access
from erstwhile.storage.collection import Collection
from erstwhile.storage.unit import Unit

MAX_TOOLS = 100
_LOOK_EVERY = 0.1
"""Seconds between two looks for turns that wait."""
_MOST_TRIES = 20
"""More than the attempts at one turn."""


class Observer(Collection):
    """Stores turns, and learns from them now or in the background."""

    def observe(
        self,
        user: str,
        assistant: str | None,
        *,
        tools: Sequence[str] | None,
        conversation: str | None,
        channel: str | None,
        metadata: Mapping[str, Any] | None,
        said_at: Moment | None,
        key: str | None,
        wait: bool,
    ) -> Observed:
        """Store a turn; then learn from it with `wait`, else wake the background thread."""
        self._access.viewer.check_learner()
        messages = self._messages(user, assistant, tools, metadata, said_at, key)
        observed = self._store(messages, conversation, channel)
        if wait:
            self.learn(observed.conversation)
            return replace(observed, attempts=_attempts_at(self._access, observed.user))
        if self._services.learning_pool is not None:
            self._services.learning_pool.wake()
        return observed

    def learn(
        self, conversation: str | None, progress: Callable[[int, int], None] | None = None
    ) -> list[Attempt]:
        """Learn from all messages of the viewer's conversations, or of one; return the attempts."""
        self._access.viewer.check_learner()
        # Imported here: a turn that is stored now is often learned from in another process.
        from erstwhile.learning.loop import learn_pending

        report = progress or (lambda _done, _total: None)
        within, made = self._access.change(lambda unit: self._want(unit, conversation)), []
        total = _messages_left(self._access, within)
        report(done := 0, total)
        closing = self._services.conversations_in_work.is_closing
        for attempt in learn_pending(self._services, self._access, within, closing):
            made.append(attempt)
            if attempt.outcome is not AttemptOutcome.FAILED:
                done += attempt.last - attempt.first + 1
            report(min(done, total), total)
        return made

    def flush(self, timeout: float | None) -> Flushed:
        """Wait for learning and embedding, for at most `timeout` seconds; return what is left."""
        services = self._services
        deadline = None if timeout is None else time.monotonic() + timeout
        services.usage_recorder.write()
        conversations = self._wait_for_learners(deadline)
        return Flushed(
            texts=services.recall.flush(self._access, deadline),
            conversations=conversations,
            embeds=services.recall.embedder is not None,
            learns=services.learning_pool is not None,
        )

    def _wait_for_learners(self, deadline: float | None) -> int:
        """Wait until the background has learned from all turns that are due in this scope.

        Return how many conversations still wait: for other processes, for their next try, or
        because the deadline, a time of the monotonic clock, is over. A memory without a scope
        waits for all scopes.
        """
        pool, viewer = self._services.learning_pool, self._access.viewer
        unscoped = viewer.scope == SHARED
        seen = self._access.seen_by(Viewer(everything=True)) if unscoped else self._access
        while pending := seen.ask(progress_table.pending):
            is_over = deadline is not None and time.monotonic() >= deadline
            if pool is None or pool.is_ending or is_over or not self._is_due(pending):
                break
            pool.wake()
            time.sleep(_LOOK_EVERY)
        return len(pending)

    def _is_due(self, pending: Sequence[Waiting]) -> bool:
        """Return whether a learner of this process may learn from one of these at this time."""
        now, has_llm = self._access.clock.now(), self._services.has_llm
        ready = (each for each in pending if each.try_at is None or each.try_at <= now)
        return any(has_llm or not each.with_model for each in ready)

    def _want(self, unit: Unit, conversation: str | None) -> str | None:
        """Request learning from all conversations, or from one; then return its full id."""
        if conversation is not None:
            conversation = self._conversations.find_own(unit, conversation).id
        progress_table.want_all(unit, conversation, with_model=self._services.has_llm)
        return conversation

    def _store(
        self, messages: Sequence[MessageDraft], conversation: str | None, channel: str | None
    ) -> Observed:
        """Store the messages of a turn and the request to learn from them in one transaction."""
        place = resolve_channel(conversation, channel)

        def observed(unit: Unit) -> list[Message]:
            stored = changes.add(unit, self._conversations, messages, conversation, place)
            last = stored[-1]
            progress_table.want(
                unit, last.conversation, last.scope, last.position,
                with_model=self._services.has_llm,
            )  # fmt: skip
            return stored

        user, *tools, assistant = self._access.change(observed)
        return Observed(user=user, tools=tuple(tools), assistant=assistant)

    def _messages(
        self,
        user: str,
        assistant: str | None,
        tools: Sequence[str] | None,
        metadata: Mapping[str, Any] | None,
        said_at: Moment | None,
        key: str | None,
    ) -> list[MessageDraft]:
        """Return the checked messages of a turn. A key identifies the turn and its messages.

        If a program injected the turn, nothing is learned from any of them.
        """
        now = self._access.clock.now()

        def message(
            role: Role, content: str | None, name: str | None, noted: Any = None
        ) -> MessageDraft:
            return draft_message(role, content, metadata=noted, said_at=said_at, key=name, now=now)

        injected = {INJECTED: True} if metadata and metadata.get(INJECTED) else None
        returned = [
            message(Role.TOOL, content, None if key is None else f"{key}#{number}", injected)
            for number, content in enumerate(limited(tools or (), "tools", MAX_TOOLS), 1)
        ]
        return [
            message(Role.USER, user, key, injected),
            *returned,
            message(Role.ASSISTANT, assistant, key, metadata),
        ]

    @property
    def _conversations(self) -> ConversationTable:
        return ConversationTable(self._services.idle)


def _attempts_at(access: Access, message: Message) -> tuple[Attempt, ...]:
    """Return the attempts at the turn of a message, the oldest first."""
    of = message.copy_of or message.id
    newest = attempt_table.listed(
        access,
        conversation=message.conversation,
        position=message.position,
        since=message.id,
        limit=_MOST_TRIES,
    )
    return tuple(each for each in reversed(newest) if of in each.messages)


def _messages_left(access: Access, conversation: str | None) -> int:
    waiting = access.ask(progress_table.waiting)
    included = (each for each in waiting if conversation in (None, each.conversation))
    return sum(each.wanted - each.learned for each in included)
