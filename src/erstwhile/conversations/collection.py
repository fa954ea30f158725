"""The collection of conversations and their messages."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from erstwhile.conversations import messages as stored
from erstwhile.conversations.conversation import (
    CHANNEL,
    Compaction,
    Conversation,
    ConversationStats,
    ConversationStatus,
    Exchange,
    Message,
    MessageDraft,
    Role,
    Transcript,
    checked_channel,
    checked_summary,
    draft_from_mapping,
    draft_message,
    resolve_channel,
)
from erstwhile.conversations.table import VERB, ConversationTable, MessageFilters
from erstwhile.core.arguments import checked_items
from erstwhile.core.kinds import NOT_DELETED, TextKind, choice
from erstwhile.core.results import Page, Receipt, checked_int
from erstwhile.core.text import checked_metadata, checked_reason
from erstwhile.core.time import Moment, parse_moment
from erstwhile.storage.record import RecordCollection, scope_for_new
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.recall.hits import RecallHits


class Conversations(RecordCollection[Conversation], noun="conversation"):
    """The conversations that are visible in this memory's scope. Ids may be shortened."""

    @property
    def _table(self) -> ConversationTable:
        return ConversationTable(self._services.idle)

    def current(self, channel: str = CHANNEL) -> Conversation:
        """Return the active conversation of a channel, or start one.

        A conversation ends when it is closed, or when it had no message for too long. Callers that
        ask at the same time get the same conversation.
        """
        checked, table = checked_channel(channel), self._table
        active = self._access.ask(lambda view: table.find_current(view, checked))
        return active or self._access.change(lambda unit: table.current(unit, checked))

    def start(
        self, channel: str = CHANNEL, *, metadata: Mapping[str, Any] | None = None
    ) -> Conversation:
        """Start a conversation; it becomes the current one of its channel."""
        checked, fields = checked_channel(channel), checked_metadata(metadata)

        def start(unit: Unit) -> Conversation:
            return self._table.add(unit, scope_for_new(unit.viewer, VERB), checked, fields)

        return self._access.change(start)

    def add(
        self,
        role: Role | str,
        content: str | None,
        *,
        conversation: str | None = None,
        channel: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        said_at: Moment | None = None,
        key: str | None = None,
    ) -> Message:
        """Append a message to a conversation, or to the current one of a channel.

        A repeated call with the same `key` stores nothing and returns the stored message. `said_at`
        is the time of the message, by default now; it does not change the order.
        """
        draft = self._draft(role, content, metadata, said_at, key)
        return self._add([draft], conversation, channel)[0]

    def add_exchange(
        self,
        user: str,
        assistant: str | None,
        *,
        conversation: str | None = None,
        channel: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        said_at: Moment | None = None,
        key: str | None = None,
    ) -> Exchange:
        """Append the message of a user and the answer, both or neither.

        An answer that only calls tools is None or blank. `metadata` belongs to the answer.
        """
        question = self._draft(Role.USER, user, None, said_at, key)
        answer = self._draft(Role.ASSISTANT, assistant, metadata, said_at, key)
        return Exchange(*self._add([question, answer], conversation, channel))

    def add_many(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        conversation: str | None = None,
        channel: str | None = None,
    ) -> builtins.list[Message]:
        """Append several messages, all or none.

        Each is a mapping with `role` and `content`, and optionally `metadata`, `said_at` and `key`.
        """
        now = self._access.clock.now()
        given = checked_items(messages, "messages")
        drafts = [draft_from_mapping(message, now=now) for message in given]
        return self._add(drafts, conversation, channel) if drafts else []

    def list(
        self,
        *,
        status: ConversationStatus | str | None = None,
        channel: str | None = None,
        deleted: bool = False,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Conversation]:
        """Return conversations, newest first: of a status or of all, or the deleted ones."""
        wanted = ""
        if status is not None:
            wanted = choice(ConversationStatus, status, name="status", instead=NOT_DELETED)
        return self._page(wanted, channel, deleted=deleted, limit=limit, cursor=cursor)

    def summaries(
        self, *, channel: str | None = None, limit: int = 20, cursor: str | None = None
    ) -> Page[Conversation]:
        """Return the closed conversations that have a summary, newest first."""
        closed = ConversationStatus.CLOSED
        return self._page(closed, channel, summarised=True, limit=limit, cursor=cursor)

    def message(self, id: str) -> Message:
        """Return one message, undone or not."""
        return self._access.ask(lambda view: stored.find_message(view, id))

    def messages(self, id: str, *, limit: int = 50, cursor: str | None = None) -> Page[Message]:
        """Return the last messages of a conversation in order; `next` leads to earlier ones."""
        return self._access.ask(lambda view: self._table.messages(view, id, limit, cursor))

    def transcript(self, id: str, *, limit: int = 50) -> Transcript:
        """Return a conversation for a prompt: its summaries, then its last messages."""
        return self._access.ask(lambda view: self._table.transcript(view, id, limit))

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        role: Role | str | None = None,
        channel: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        conversation: str | None = None,
        exclude: str | None = None,
        floor: float | None = None,
        now: Moment | None = None,
    ) -> RecallHits:
        """Return the messages that match a query, best first, ranked as by `recall`.

        `conversation` limits the search to one conversation, `exclude` leaves one out. `now` is the
        date of the question: later messages are left out, and "last week" is relative to it.
        """
        spoken = MessageFilters(role, channel, conversation, exclude)
        date = now and parse_moment(now, now=self._access.clock.now(), name="now")
        times = {"since": since, "until": until, "as_of": date}
        options = {"limit": limit, "floor": floor, **times}
        search = self._services.recall.search_kind
        return search(self._access, query, TextKind.MESSAGES, options, messages=spoken)

    def close(
        self, id: str, summary: str | None = None, *, reason: str | None = None
    ) -> Conversation:
        """Close a conversation, with a summary. A closed one can still get a summary."""
        checked = None if summary is None else checked_summary(summary)

        def close(unit: Unit, found: Conversation) -> Conversation:
            return replace(
                found,
                status=ConversationStatus.CLOSED,
                closed_at=found.closed_at or unit.now,
                summary=found.summary if checked is None else checked,
            )

        return self._table.edit(self._access, id, "close", reason, close)

    def reopen(self, id: str, *, reason: str | None = None) -> Conversation:
        """Reopen a closed conversation and remove its summary, which becomes out of date."""
        return self._table.edit(self._access, id, "reopen", reason, _reopen)

    def undo(self, id: str, count: int = 1, *, reason: str | None = None) -> builtins.list[Message]:
        """Undo the last messages of a conversation; they are kept, but no longer shown."""
        number, text = checked_int(count, "count", 1), checked_reason(reason)
        return self._access.change(
            lambda unit: stored.undo(unit, self._table.find_own(unit, id), number, text)
        )

    def branch(self, message: str) -> Conversation:
        """Start a conversation with copies of all messages up to this one."""
        return self._access.change(
            lambda unit: self._table.branch(unit, stored.find_message(unit, message))
        )

    def compact(self, id: str, summary: str, *, through: str | None = None) -> Compaction:
        """Store a summary of the messages that have no summary yet, up to `through` or to the last.

        The messages stay. A repeated call returns the stored summary.
        """
        text = checked_summary(summary)

        def compact(unit: Unit) -> Compaction:
            found = self._table.find_own(unit, id)
            last = None if through is None else stored.find_message(unit, through)
            return stored.compact(unit, found, text, last)

        return self._access.change(compact)

    def expand(self, id: str, *, reason: str | None = None) -> builtins.list[Compaction]:
        """Undo the summaries that `compact` or a context stored. Return them."""
        text = checked_reason(reason)
        return self._access.change(
            lambda unit: stored.expand(unit, self._table.find_own(unit, id), text)
        )

    def delete(self, id: str, *, reason: str | None = None) -> Conversation:
        """Hide a conversation and its messages until it is restored, erased or purged."""
        return super().delete(id, reason=reason)

    def erase(self, *ids: str) -> Receipt:
        """Destroy conversations or single messages, and their copies. There is no undo."""
        return super().erase(*ids)

    def stats(self) -> ConversationStats:
        """Count the visible conversations and messages."""
        return self._access.ask(lambda view: self._table.stats(view))

    def _draft(
        self,
        role: Role | str,
        content: str | None,
        metadata: Mapping[str, Any] | None,
        said_at: Moment | None,
        key: str | None,
    ) -> MessageDraft:
        now = self._access.clock.now()
        return draft_message(role, content, metadata=metadata, said_at=said_at, key=key, now=now)

    def _add(
        self, drafts: builtins.list[MessageDraft], conversation: str | None, channel: str | None
    ) -> builtins.list[Message]:
        self._access.viewer.check_person("add messages")  # before long texts are prepared
        resolved, table = resolve_channel(conversation, channel), self._table
        return self._access.change(
            lambda unit: table.add_messages(unit, drafts, conversation, resolved)
        )

    def _page(
        self,
        status: str,
        channel: str | None,
        *,
        summarised: bool = False,
        deleted: bool = False,
        limit: int,
        cursor: str | None,
    ) -> Page[Conversation]:
        checked, table = None if channel is None else checked_channel(channel), self._table

        def filters(view: View) -> dict[str, Any]:
            return {
                "status": status,
                "channel": checked,
                "summarised": int(summarised),
                "active_since": table.active_since(view),
            }

        return table.page(
            self._access,
            filters,
            deleted=deleted,
            limit=limit,
            cursor=cursor,
            listing="list_conversations",
        )


def _reopen(unit: Unit, found: Conversation) -> Conversation:
    """Return the conversation as open, without the summary: the next message makes it outdated."""
    if found.closed_at is None:
        return found
    status = ConversationStatus.ACTIVE
    return replace(found, status=status, active_at=unit.now, closed_at=None, summary=None)
