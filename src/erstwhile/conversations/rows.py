"""Conversations, messages and compactions as rows: the one place that knows how each is stored."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from erstwhile.conversations.conversation import (
    Compaction,
    Conversation,
    ConversationStatus,
    Message,
    Role,
)
from erstwhile.core.ports import Row
from erstwhile.core.time import from_micros, to_micros
from erstwhile.storage import columns
from erstwhile.storage.columns import to_scope

# What the audit trail digests, in the order of the statements `stored_…`.
conversation_state = itemgetter(
    "scope", "channel", "started_at", "parent", "branched_at", "metadata", "closed_at", "summary",
    "deleted_at",
)  # fmt: skip
message_state = itemgetter(
    "scope", "conversation", "position", "role", "content", "said_at", "metadata", "key", "origin",
    "undone_at",
)  # fmt: skip
compaction_state = itemgetter(
    "scope", "conversation", "first", "last", "summary", "created_at", "undone_at"
)
_ROLES = {each.value: each for each in Role}
"""By look-up: calling an enum takes five times as long."""


def conversation_row(conversation: Conversation, scope: int, stamp: int) -> dict[str, Any]:
    """The conversation as parameters of `add_conversation` and `change_conversation`."""
    return {
        "id": conversation.id,
        "scope": scope,
        "channel": conversation.channel,
        "started_at": to_micros(conversation.started_at),
        "parent": conversation.parent,
        "branched_at": conversation.branched_at,
        "metadata": columns.metadata_text(conversation.metadata),
        "closed_at": columns.micros(conversation.closed_at),
        "summary": conversation.summary,
        "deleted_at": columns.micros(conversation.deleted_at),
        "changed_at": stamp,
        "active_at": to_micros(conversation.active_at),
        "messages": conversation.messages,
    }


def to_conversation(row: Row, quiet_since: int) -> Conversation:
    """A row of the fragment `conversation_columns`; idle if nothing was said since then."""
    closed_at, deleted_at = row[10], row[14]
    return Conversation(
        id=row[0],
        scope=to_scope(*row[1:5]),
        channel=row[5],
        status=_status(closed_at, deleted_at, is_idle=row[7] < quiet_since),
        started_at=from_micros(row[6]),
        active_at=from_micros(row[7]),
        messages=row[8],
        summary=row[9],
        closed_at=columns.moment(closed_at),
        parent=row[11],
        branched_at=row[12],
        metadata=columns.metadata(row[13]),
        deleted_at=columns.moment(deleted_at),
    )


def message_row(message: Message, scope: int, stamp: int) -> dict[str, Any]:
    """The message as parameters of `add_message`, but for its position."""
    return {
        "id": message.id,
        "scope": scope,
        "conversation": message.conversation,
        "position": message.position or None,
        "role": message.role,
        "content": message.content,
        "said_at": to_micros(message.said_at),
        "metadata": columns.metadata_text(message.metadata),
        "key": message.key,
        "origin": message.copy_of or message.id,
        "undone_at": columns.micros(message.undone_at),
        "changed_at": stamp,
    }


def to_message(row: Row) -> Message:
    """A row of the fragment `message_columns` as a message."""
    return Message(
        id=row[0],
        scope=to_scope(*row[1:5]),
        conversation=row[5],
        position=row[6],
        role=_ROLES[row[7]],
        content=row[8],
        said_at=from_micros(row[9]),
        metadata=columns.metadata(row[10]),
        key=row[11],
        copy_of=None if row[12] == row[0] else row[12],
        undone_at=columns.moment(row[13]),
    )


def compaction_row(compaction: Compaction, scope: int) -> dict[str, Any]:
    return {
        "id": compaction.id,
        "scope": scope,
        "conversation": compaction.conversation,
        "first": compaction.first,
        "last": compaction.last,
        "summary": compaction.summary,
        "created_at": to_micros(compaction.created_at),
        "undone_at": None,
    }


def to_compaction(row: Row) -> Compaction:
    id, *dimensions, conversation, first, last, summary, created_at = row
    return Compaction(
        id=id,
        scope=to_scope(*dimensions),
        conversation=conversation,
        first=first,
        last=last,
        summary=summary,
        created_at=from_micros(created_at),
    )


def _status(closed_at: int | None, deleted_at: int | None, *, is_idle: bool) -> ConversationStatus:
    if deleted_at is not None:
        return ConversationStatus.DELETED
    if closed_at is not None:
        return ConversationStatus.CLOSED
    return ConversationStatus.IDLE if is_idle else ConversationStatus.ACTIVE
