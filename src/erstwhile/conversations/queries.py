"""Queries about conversations and messages. Each reads one snapshot of the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

from erstwhile.conversations.conversation import (
    Conversation,
    ConversationStats,
    ConversationStatus,
    Message,
    MessageHit,
    Role,
    Transcript,
    checked_channel,
)
from erstwhile.conversations.messages import compactions_of, last_messages, messages_by_id
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.hits import Hits
from erstwhile.core.kinds import NOT_DELETED, choice
from erstwhile.core.page import NEWEST, Page, checked_limit, checked_number
from erstwhile.core.text import checked_text
from erstwhile.core.time import EPOCH, FOREVER, Moment
from erstwhile.search import words
from erstwhile.storage import full_text
from erstwhile.storage.view import View

_MAX_QUERY = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageQuery:
    """The messages to search for."""

    query: str
    limit: int
    role: Role | str | Sequence[Role] | None = None
    channel: str | None = None
    since: Moment | None = None
    until: Moment | None = None
    conversation: str | None = None
    exclude: str | None = None

    def hits(self, view: View, table: ConversationTable) -> Hits[MessageHit]:
        """Return the matching messages, best first."""
        request = self._request(view, table)
        found = full_text.search(view, words, request)
        terms = words.query_terms(request.text)
        messages = messages_by_id(view, [each.id for each in found])
        return Hits(tuple(_hit(messages[each.id], terms, each.score) for each in found))

    def _request(self, view: View, table: ConversationTable) -> full_text.TextQuery:
        return full_text.TextQuery(
            kind=full_text.TextKind.MESSAGE,
            statement="match_messages",
            text=checked_text(self.query, name="query", limit=_MAX_QUERY),
            limit=checked_limit(self.limit),
            filters={
                "roles": "".join(f",{role}," for role in self._roles()),
                "channel": None if self.channel is None else checked_channel(self.channel),
                "since": view.parse(self.since, "since", default=EPOCH),
                "until": view.parse(self.until, "until", default=FOREVER),
                "conversation": _id_of(view, table, self.conversation),
                "exclude": _id_of(view, table, self.exclude),
            },
        )

    def _roles(self) -> Sequence[Role]:
        """Return the roles to search; empty means all roles."""
        if isinstance(self.role, str):
            return (choice(Role, self.role, name="role"),)
        return self.role or ()


def messages(
    view: View, table: ConversationTable, id: str, limit: int, cursor: str | None
) -> Page[Message]:
    """Return the last messages in order; `next` leads to the page before them."""
    size = checked_limit(limit)
    before = NEWEST if cursor is None else checked_number(cursor)
    found = table.find(view, id)
    last = last_messages(view, found.id, limit=size + 1, before=before)
    page = tuple(last[-size:])
    return Page(page, str(page[0].position) if len(last) > size else None)


def transcript(view: View, conversation: Conversation, limit: int) -> Transcript:
    """Return a conversation for a prompt: its summaries, then its last messages."""
    size, id = checked_limit(limit), conversation.id
    summaries = compactions_of(view, id)
    after = summaries[-1].last if summaries else 0
    last = last_messages(view, id, limit=size, after=after)
    count = len(last)
    if count == size:  # there may be more
        [(count,)] = view.rows("count_messages_after", {"conversation": id, "after": after})
    return Transcript(
        conversation=conversation,
        compactions=tuple(summaries),
        omitted=count - len(last),
        messages=tuple(last),
    )


def stats(view: View, table: ConversationTable) -> ConversationStats:
    """Count the visible conversations by status, and their messages by role."""
    params = {"active_since": table.active_since(view)}
    counts: dict[str, int] = dict(view.rows("count_conversations", params))
    roles: dict[str, int] = dict(view.rows("tally_messages", {}))
    return ConversationStats(
        **{status: counts.get(status, 0) for status in ("active", "idle", "closed", "deleted")},
        messages=sum(roles.values()),
        roles=MappingProxyType(roles),
    )


def checked_status(status: ConversationStatus | str | None) -> str:
    """Return a valid status; empty for any status."""
    if status is None:
        return ""
    return choice(ConversationStatus, status, name="status", instead=NOT_DELETED)


def _id_of(view: View, table: ConversationTable, given: str | None) -> str | None:
    return None if given is None else table.find(view, given).id


def _hit(message: Message, terms: Sequence[str], score: float) -> MessageHit:
    return MessageHit(message=message, snippet=words.snippet(message.content, terms), score=score)
