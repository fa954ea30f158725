"""Conversations, messages, sessions and identities as people like to read them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from erstwhile.cli.safe_text import safe_line, safe_lines
from erstwhile.cli.views.layout import ROWS, Rows, grid, second, view
from erstwhile.conversations.conversation import (
    Conversation,
    ConversationStats,
    ConversationStatus,
    ExternalSession,
    Message,
    MessageHit,
    Role,
    Transcript,
)
from erstwhile.profile.identities import Identity

_STATUS_STYLES = {
    ConversationStatus.ACTIVE: "green",
    ConversationStatus.IDLE: "yellow",
    ConversationStatus.CLOSED: "dim",
}
_ROLE_STYLES = {
    Role.USER: "cyan",
    Role.ASSISTANT: "green",
    Role.SYSTEM: "magenta",
    Role.TOOL: "yellow",
}


@view.register
def _conversation_view(conversation: Conversation, _at: datetime | None) -> RenderableType:
    rows: Rows = (
        ("id", conversation.id),
        ("status", Text(conversation.status, _STATUS_STYLES[conversation.status])),
        ("channel", conversation.channel),
        ("scope", str(conversation.scope)),
        ("messages", f"{conversation.messages:,}"),
        ("started", second(conversation.started_at)),
        ("active", second(conversation.active_at)),
        ("closed", second(conversation.closed_at) if conversation.closed_at else None),
        ("summary", conversation.summary),
        ("branch of", conversation.parent),
        ("metadata", _json(conversation.metadata)),
    )
    return grid(rows)


@view.register
def _transcript_view(told: Transcript, at: datetime | None) -> RenderableType:
    parts: list[RenderableType] = [view(told.conversation, at), ""]
    for each in told.compactions:
        covered = f"{each.first:,}–{each.last:,}"
        parts.append(Text.assemble((f"{covered} in short: ", "dim"), safe_lines(each.summary)))
    if told.omitted:
        parts.append(Text(f"… and {told.omitted:,} more …", "dim"))
    return Group(*parts, *(_spoken(message) for message in told.messages))


@view.register
def _message_view(message: Message, _at: datetime | None) -> RenderableType:
    rows: Rows = (
        ("id", message.id),
        ("conversation", message.conversation),
        ("said", second(message.said_at)),
        ("key", message.key),
        ("copy of", message.copy_of),
        ("undone", second(message.undone_at) if message.undone_at else None),
        ("metadata", _json(message.metadata)),
    )
    return Group(_spoken(message), "", grid(rows))


@view.register
def _stats_view(stats: ConversationStats, _at: datetime | None) -> RenderableType:
    roles = ", ".join(f"{count:,} {role}" for role, count in stats.roles.items())
    rows: Rows = (
        ("active", Text(f"{stats.active:,}", "bold green")),
        ("idle", f"{stats.idle:,}"),
        ("closed", f"{stats.closed:,}"),
        ("deleted", f"{stats.deleted:,}"),
        ("messages", f"{stats.messages:,}  ({roles})" if roles else "0"),
    )
    return grid(rows)


def _conversation_row(conversation: Conversation, _at: datetime | None) -> dict[str, Text]:
    return {
        "id": Text(conversation.short_id, "dim"),
        "when": Text(second(conversation.active_at)),
        "status": Text(conversation.status, _STATUS_STYLES[conversation.status]),
        "channel": Text(safe_line(conversation.channel), "cyan"),
        "messages": Text(f"{conversation.messages:,}"),
        "summary": Text(safe_line(conversation.summary or "")),
        "scope": Text(safe_line(str(conversation.scope)), "dim"),
    }


def _message_row(message: Message, _at: datetime | None) -> dict[str, Text]:
    return {
        "id": Text(message.short_id, "dim"),
        "when": Text(second(message.said_at)),
        "role": Text(message.role, _ROLE_STYLES[message.role]),
        "message": Text(safe_line(message.content)),
    }


def _hit_row(hit: MessageHit, at: datetime | None) -> dict[str, Text]:
    return {**_message_row(hit.message, at), "message": Text(safe_line(hit.snippet))}


def _session_row(session: ExternalSession, _at: datetime | None) -> dict[str, Text]:
    return {
        "channel": Text(safe_line(session.channel), "cyan"),
        "session": Text(safe_line(session.session_id)),
        "when": Text(second(session.set_at)),
        "scope": Text(safe_line(str(session.scope)), "dim"),
    }


def _identity_row(identity: Identity, _at: datetime | None) -> dict[str, Text]:
    return {
        "alias": Text(safe_line(identity.alias), "cyan"),
        "person": Text(safe_line(identity.person), "bold"),
        "when": Text(second(identity.linked_at)),
        "scope": Text(safe_line(str(identity.scope)), "dim"),
    }


def _spoken(message: Message) -> Text:
    who = (f"{message.role}: ", _ROLE_STYLES[message.role])
    return Text.assemble(who, safe_lines(message.content))


def _json(metadata: Mapping[str, Any]) -> str:
    return json.dumps(dict(metadata), ensure_ascii=False) if metadata else ""


ROWS |= {
    Conversation: _conversation_row,
    Message: _message_row,
    MessageHit: _hit_row,
    ExternalSession: _session_row,
    Identity: _identity_row,
}
