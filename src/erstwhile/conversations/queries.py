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
    Role,
    Transcript,
    checked_channel,
)
from erstwhile.conversations.messages import compactions_of, last_messages
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.defaults import IDLE
from erstwhile.core.kinds import NOT_DELETED, choice
from erstwhile.core.page import NEWEST, Page, checked_limit, checked_number
from erstwhile.storage.view import View


@dataclass(frozen=True, slots=True)
class MessageFilters:
    """The messages that a search may return. A filter that is left out has no effect."""

    role: Role | str | Sequence[Role] | None = None
    channel: str | None = None
    conversation: str | None = None
    """The id of the only conversation to search."""
    exclude: str | None = None
    """The id of a conversation to leave out."""

    def params(self, view: View) -> dict[str, str | None]:
        """Return the filters as parameters of statements."""
        return {
            "roles": "".join(f",{role}," for role in self._roles()),
            "channel": None if self.channel is None else checked_channel(self.channel),
            "conversation": _id_of(view, self.conversation),
            "exclude": _id_of(view, self.exclude),
        }

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


def _id_of(view: View, given: str | None) -> str | None:
    """Return the full id of a conversation. Its status, which depends on `idle`, is not used."""
    return None if given is None else ConversationTable(IDLE).find(view, given).id
