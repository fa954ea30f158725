"""Observe turns and learn from them: the verbs `observe`, `observe_turn`, `learn`, `flush`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from erstwhile.conversations.chat_messages import read_messages
from erstwhile.conversations.continuation import add_missing
from erstwhile.conversations.conversation import (
    LEARN_TO,
    Conversation,
    Message,
    MessageDraft,
    Role,
    draft_message,
    resolve_channel,
)
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.errors import InvalidInputError, ScopeError
from erstwhile.core.results import MAX_LIMIT, Flushed
from erstwhile.core.scope import DIMENSIONS, SHARED, Viewer
from erstwhile.core.time import Moment
from erstwhile.facts.changes import scope_of
from erstwhile.facts.draft import limited
from erstwhile.learning import attempts
from erstwhile.learning import progress as cursor
from erstwhile.learning.attempts import Attempt, AttemptOutcome, Observed, ObservedMessages
from erstwhile.learning.progress import Waiting
from erstwhile.learning.turn import INJECTED
from erstwhile.storage.access import Access
from erstwhile.storage.record import Collection
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

MAX_TOOLS = 100
MAX_MESSAGES = 10_000
_LOOK_EVERY = 0.1
"""Seconds between two looks for turns that wait."""
_MAX_TRIES = 20
"""More than the attempts at one turn."""


class Observer(Collection):
    """Stores turns, and learns from them now or in the background."""

    def observe(
        self,
        messages: Iterable[Any],
        *,
        conversation: str | None,
        channel: str | None,
        said_at: Moment | None,
        learn_to: Sequence[str] | str | None,
        wait: bool,
    ) -> ObservedMessages:
        """Store the new messages of a list; then learn from them, now or in the background."""
        self._access.viewer.check_learner()
        self._access.viewer.check_person("add messages")
        chosen = _learn_to(self._access.viewer, learn_to)
        draft = partial(draft_message, said_at=said_at, key=None, now=self._access.clock.now())
        drafts = [
            draft(each.role, each.content, metadata=each.metadata)
            for each in limited(read_messages(messages), "messages", MAX_MESSAGES)
            if each.role is not Role.SYSTEM
        ]
        if not drafts:
            raise InvalidInputError("messages has no message", remedy="give the conversation")
        marked = [each._replace(metadata={**each.metadata, **chosen}) for each in drafts]
        place = resolve_channel(conversation, channel)

        def store(unit: Unit) -> tuple[Conversation, list[Message]]:
            into, new = add_missing(unit, self._conversations, marked, conversation, place)
            if new:
                self._request(unit, new[-1])
            return into, new

        into, new = self._access.change(store)
        observed = ObservedMessages(
            conversation=into.id, messages=tuple(new), known=len(drafts) - len(new)
        )
        return replace(observed, attempts=self._learned(into.id, new, wait=wait))

    def observe_turn(
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
        learn_to: Sequence[str] | str | None,
        wait: bool,
    ) -> Observed:
        """Store a turn; then learn from it with `wait`, else wake the background thread.

        A key identifies the turn and its messages. If a program injected the turn, nothing is
        learned from any of them.
        """
        self._access.viewer.check_learner()
        self._access.viewer.check_person("add messages")
        chosen = _learn_to(self._access.viewer, learn_to)
        draft = partial(draft_message, said_at=said_at, now=self._access.clock.now())
        answer = draft(Role.ASSISTANT, assistant, metadata=metadata, key=key)
        injected = {INJECTED: True} if answer.metadata.get(INJECTED) else {}
        said = draft(Role.USER, user, metadata=injected, key=key)
        returned = [
            draft(Role.TOOL, each, metadata=injected, key=key and f"{key}#{n}")
            for n, each in enumerate(limited(() if tools is None else tools, "tools", MAX_TOOLS), 1)
        ]
        messages = [said._replace(metadata={**said.metadata, **chosen}), *returned, answer]
        observed = self._store(messages, conversation, channel)
        made = self._learned(observed.conversation, [observed.user], wait=wait)
        return replace(observed, attempts=made)

    def _learned(
        self, conversation: str, messages: Sequence[Message], *, wait: bool
    ) -> tuple[Attempt, ...]:
        """Learn from a conversation now with `wait`, else wake the background thread.

        Return the attempts at the turns of these messages, if the caller waited.
        """
        if wait:
            made = self.learn(conversation, early=True)
            return _attempts_at(self._access, messages) or tuple(made[-1:])
        if self._services.learning_pool is not None:
            self._services.learning_pool.wake()
        return ()

    def learn_missed(
        self, conversation: str | None, progress: Callable[[int, int], None] | None = None
    ) -> list[Attempt]:
        """Read the turns that the daily limit kept from the model; return the attempts."""
        self._access.viewer.check_learner()
        if self._services.llm() is None:
            raise InvalidInputError(
                "no language model is set that could read them",
                remedy="set `llm`, or ERSTWHILE_LLM",
            )
        from erstwhile.learning.worker import learn_missed

        report = progress or (lambda _done, _total: None)
        table = self._conversations

        def missed_attempts(view: View) -> list[Attempt]:
            within = None if conversation is None else table.find(view, conversation).id
            return attempts.missed(view, within)

        missed, made = self._access.ask(missed_attempts), list[Attempt]()
        for attempt in learn_missed(self._services, self._access, missed):
            made.append(attempt)
            report(len(made), len(missed))
        return made

    def learn(
        self,
        conversation: str | None,
        progress: Callable[[int, int], None] | None = None,
        *,
        early: bool = False,
    ) -> list[Attempt]:
        """Learn from all messages of the viewer's conversations, or of one; return the attempts.

        With `early`, turns that are to be tried again later are tried now.
        """
        self._access.viewer.check_learner()
        # Imported here: a turn that is stored now is often learned from in another process.
        from erstwhile.learning.worker import learn_pending

        report = progress or (lambda _done, _total: None)
        within, made = self._access.change(lambda unit: self._want(unit, conversation)), []
        waiting = self._access.ask(cursor.waiting)
        included = (each for each in waiting if within in (None, each.conversation))
        total = sum(each.wanted - each.learned for each in included)
        report(done := 0, total)
        closing = self._services.conversations_in_work.is_closing
        for attempt in learn_pending(self._services, self._access, within, closing, early=early):
            made.append(attempt)
            if attempt.outcome is not AttemptOutcome.FAILED:
                done += attempt.last - attempt.first + 1
            report(min(done, total), total)
        return made

    def flush(self, timeout: float | None) -> Flushed:
        """Wait for learning and embedding, for at most `timeout` seconds; return what is left."""
        services = self._services
        deadline = None if timeout is None else time.monotonic() + _checked_seconds(timeout)
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
        while pending := seen.ask(cursor.pending):
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
        cursor.want_all(unit, conversation, with_model=self._services.has_llm)
        return conversation

    def _store(
        self, messages: Sequence[MessageDraft], conversation: str | None, channel: str | None
    ) -> Observed:
        """Store the messages of a turn and the request to learn from them in one transaction."""
        place = resolve_channel(conversation, channel)

        def observed(unit: Unit) -> list[Message]:
            stored = self._conversations.add_messages(unit, messages, conversation, place)
            self._request(unit, stored[-1])
            return stored

        user, *tools, assistant = self._access.change(observed)
        return Observed(user=user, tools=tuple(tools), assistant=assistant)

    def _request(self, unit: Unit, last: Message) -> None:
        """Request learning from a conversation, up to this message."""
        cursor.want(
            unit, last.conversation, last.scope, last.position, with_model=self._services.has_llm
        )

    @property
    def _conversations(self) -> ConversationTable:
        return ConversationTable(self._services.idle)


def _checked_seconds(timeout: float) -> float:
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout >= 0:
        raise InvalidInputError(
            f"timeout must be a number of seconds, not {timeout!r}",
            remedy="give 0 or more, or None",
        )
    return timeout


def _learn_to(viewer: Viewer, given: Sequence[str] | str | None) -> dict[str, list[str]]:
    """Return the metadata with the dimensions of the scope to learn to; empty if none is given."""
    if given is None:
        return {}
    scope = scope_of(viewer, given)
    if not scope.sees(viewer.within):
        raise ScopeError(
            f"the facts would leave {viewer.within}, and this caller stays within it",
            remedy="use a token without this scope, or leave `learn_to` out",
        )
    return {LEARN_TO: [name for name in DIMENSIONS if getattr(scope, name) is not None]}


def _attempts_at(access: Access, messages: Sequence[Message]) -> tuple[Attempt, ...]:
    """Return the attempts at the turns of messages, the oldest first."""
    if not messages:
        return ()
    of = {message.copy_of or message.id for message in messages}
    newest = attempts.listed(
        access,
        conversation=messages[0].conversation,
        position=messages[0].position if len(messages) == 1 else None,
        since=messages[0].id,
        limit=min(_MAX_TRIES * len(messages), MAX_LIMIT),
    )
    return tuple(each for each in reversed(newest) if of & {*each.messages})
