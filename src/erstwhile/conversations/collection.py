"""The collection of conversations: what is said, by whom, in which order, and finding it again."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any

from erstwhile.conversations import changes as conversation_changes
from erstwhile.conversations import erasure as conversation_erasure
from erstwhile.conversations import operations as talking
from erstwhile.conversations import reading as conversation_reading
from erstwhile.conversations import table
from erstwhile.conversations.conversation import (
    CHANNEL,
    Compaction,
    Conversation,
    ConversationStats,
    ConversationStatus,
    Exchange,
    Message,
    MessageHit,
    Role,
    Said,
    Transcript,
    checked_channel,
    checked_count,
    checked_summary,
    chosen_channel,
    said,
    to_said,
)
from erstwhile.conversations.reading import Listing, Search
from erstwhile.conversations.table import Idleness
from erstwhile.core.metadata import checked_metadata
from erstwhile.core.page import Page
from erstwhile.core.receipt import Receipt
from erstwhile.core.text import checked_reason
from erstwhile.core.time import Moment
from erstwhile.search import words
from erstwhile.storage.collection import Collection
from erstwhile.storage.unit import Unit


class Conversations(Collection):
    """All conversations that this memory's scope can see. Ids may be shortened."""

    @property
    def _idleness(self) -> Idleness:
        return Idleness(self._services.idle)

    def current(self, channel: str = CHANNEL) -> Conversation:
        """The conversation that is going on in a channel, or a new one if the last is over.

        It is over when it was closed, or when nothing was said in it for too long. However many
        callers ask at once, they get the same.
        """
        wanted, idleness = checked_channel(channel), self._idleness
        going_on = self._access.ask(lambda view: talking.find_current(view, idleness, wanted))
        return going_on or self._access.change(lambda unit: talking.current(unit, idleness, wanted))

    def start(
        self, channel: str = CHANNEL, *, metadata: Mapping[str, Any] | None = None
    ) -> Conversation:
        """Begin another conversation, which is then the current one."""
        wanted, noted = checked_channel(channel), checked_metadata(metadata)
        return self._access.change(lambda unit: talking.start(unit, wanted, noted))

    def add(
        self,
        role: Role | str,
        content: str,
        *,
        conversation: str | None = None,
        channel: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        said_at: Moment | None = None,
        key: str | None = None,
    ) -> Message:
        """Append a message to a conversation, or to the current one of a channel.

        A call that is repeated with the same `key` stores nothing and returns what the first one
        stored. `said_at` is when it was said, if that was not now; it does not change the order.
        """
        new = self._said(role, content, metadata, said_at, key)
        return self._add([new], conversation, channel)[0]

    def add_exchange(
        self,
        user: str,
        assistant: str,
        *,
        conversation: str | None = None,
        channel: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        said_at: Moment | None = None,
        key: str | None = None,
    ) -> Exchange:
        """Append what a user said and the answer: both or neither. `metadata` is the answer's."""
        asked = self._said(Role.USER, user, None, said_at, key)
        answered = self._said(Role.ASSISTANT, assistant, metadata, said_at, key)
        return Exchange(*self._add([asked, answered], conversation, channel))

    def add_many(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        conversation: str | None = None,
        channel: str | None = None,
    ) -> builtins.list[Message]:
        """Append several messages: all of them, or none.

        Each is a mapping with `role`, `content`, and if you like `metadata`, `said_at` and `key`.
        """
        now = self._access.clock.now()
        new = [to_said(message, now=now) for message in messages]
        return self._add(new, conversation, channel) if new else []

    def get(self, id: str) -> Conversation:
        """One conversation."""
        return self._access.ask(lambda view: table.find(view, self._idleness, id))

    def list(
        self,
        *,
        status: ConversationStatus | str | None = None,
        channel: str | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Conversation]:
        """Conversations, newest first: active, idle, closed or deleted ones, or all but deleted."""
        listing = Listing(status=status, channel=channel, limit=limit, cursor=cursor)
        return self._access.ask(lambda view: listing.page(view, self._idleness))

    def summaries(
        self, *, channel: str | None = None, limit: int = 20, cursor: str | None = None
    ) -> Page[Conversation]:
        """Closed conversations that have a summary, newest first."""
        closed = ConversationStatus.CLOSED
        listing = Listing(
            status=closed, channel=channel, summarised=True, limit=limit, cursor=cursor
        )
        return self._access.ask(lambda view: listing.page(view, self._idleness))

    def message(self, id: str) -> Message:
        """One message; one that was undone says so."""
        return self._access.ask(lambda view: table.find_message(view, id))

    def messages(self, id: str, *, limit: int = 50, cursor: str | None = None) -> Page[Message]:
        """The last messages of a conversation, in their order; `next` leads to earlier ones."""
        return self._access.ask(
            lambda view: conversation_reading.messages(view, self._idleness, id, limit, cursor)
        )

    def transcript(self, id: str, *, limit: int = 50) -> Transcript:
        """A conversation for a prompt: the summaries of its beginning, and its last messages."""
        return self._access.ask(
            lambda view: conversation_reading.transcript(view, self._idleness, id, limit)
        )

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
    ) -> builtins.list[MessageHit]:
        """Messages that hold words of a question, best first, in any language and of any role.

        `conversation` searches one conversation only, `exclude` all but one.
        """
        search = Search(
            query=query,
            limit=limit,
            role=role,
            channel=channel,
            since=since,
            until=until,
            conversation=conversation,
            exclude=exclude,
        )
        return self._access.ask(lambda view: search.hits(view, self._idleness, words))

    def close(
        self, id: str, summary: str | None = None, *, reason: str | None = None
    ) -> Conversation:
        """End a conversation, with a summary of it; one that is closed may still get a summary."""
        told = None if summary is None else checked_summary(summary)
        return self._edit(
            id, reason, lambda unit, found, why: conversation_changes.close(unit, found, told, why)
        )

    def reopen(self, id: str, *, reason: str | None = None) -> Conversation:
        """Go on with a conversation that was closed; its summary goes, since it is out of date."""
        return self._edit(id, reason, conversation_changes.reopen)

    def undo(self, id: str, count: int = 1, *, reason: str | None = None) -> builtins.list[Message]:
        """Take the last messages of a conversation back; they are kept, and no longer shown."""
        wanted, why = checked_count(count), checked_reason(reason)

        def undone(unit: Unit) -> builtins.list[Message]:
            found = table.find_own(unit, self._idleness, id)
            return talking.undo(unit, found, wanted, why)

        return self._access.change(undone)

    def branch(self, message: str) -> Conversation:
        """Begin another conversation with copies of all messages up to this one."""
        return self._access.change(
            lambda unit: talking.branch(unit, self._idleness, table.find_message(unit, message))
        )

    def compact(self, id: str, summary: str, *, through: str | None = None) -> Compaction:
        """Record a summary of the messages up to one, or to the last, that no summary covers yet.

        The messages stay. A summary is recorded once: a repeated call returns what is there.
        """
        told = checked_summary(summary)

        def compacted(unit: Unit) -> Compaction:
            found = table.find_own(unit, self._idleness, id)
            last = None if through is None else table.find_message(unit, through)
            return talking.compact(unit, found, told, last)

        return self._access.change(compacted)

    def delete(self, id: str, *, reason: str | None = None) -> Conversation:
        """Hide a conversation and its messages from every answer, until restored or purged."""
        return self._edit(id, reason, conversation_changes.delete)

    def restore(self, id: str, *, reason: str | None = None) -> Conversation:
        """Bring a deleted conversation back as it was."""
        return self._edit(
            id,
            reason,
            lambda unit, found, why: conversation_changes.restore(unit, self._idleness, found, why),
            among=table.DELETED,
        )

    def purge(self, older_than: Moment | timedelta = "30 days") -> Receipt:
        """Erase the conversations that were deleted longer ago than this, in exactly this scope."""
        return conversation_erasure.purge(self._access, self._idleness, older_than)

    def erase(self, *ids: str) -> Receipt:
        """Destroy conversations or single messages, and the copies in branches. No undo."""
        return conversation_erasure.erase(self._access, self._idleness, ids)

    def stats(self) -> ConversationStats:
        """How many conversations and messages are visible from here."""
        return self._access.ask(lambda view: conversation_reading.stats(view, self._idleness))

    def _said(
        self,
        role: Role | str,
        content: str,
        metadata: Mapping[str, Any] | None,
        said_at: Moment | None,
        key: str | None,
    ) -> Said:
        now = self._access.clock.now()
        return said(role, content, metadata=metadata, said_at=said_at, key=key, now=now)

    def _add(
        self, new: builtins.list[Said], conversation: str | None, channel: str | None
    ) -> builtins.list[Message]:
        wanted = chosen_channel(conversation, channel)
        return self._access.change(
            lambda unit: talking.add(unit, self._idleness, new, conversation, wanted)
        )

    def _edit(
        self,
        id: str,
        reason: str | None,
        edit: Callable[[Unit, Conversation, str | None], Conversation],
        *,
        among: tuple[str, ...] = table.PRESENT,
    ) -> Conversation:
        why = checked_reason(reason)

        def edited(unit: Unit) -> Conversation:
            return edit(unit, table.find_own(unit, self._idleness, id, among=among), why)

        return self._access.change(edited)
