"""Views of conversations, messages, sessions and identities."""

from __future__ import annotations

from datetime import datetime

from rich.console import Group, RenderableType
from rich.text import Text

from erstwhile.cli.safe_text import safe_lines
from erstwhile.cli.views.layout import (
    Fields,
    Row,
    cell,
    grid,
    json_text,
    row,
    scope_cell,
    second,
    view,
)
from erstwhile.conversations.conversation import (
    Conversation,
    ConversationStats,
    ConversationStatus,
    ExternalSession,
    Message,
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
    fields: Fields = (
        ("id", conversation.id),
        ("status", Text(conversation.status, _STATUS_STYLES[conversation.status])),
        ("channel", conversation.channel),
        ("scope", str(conversation.scope)),
        ("messages", f"{conversation.messages:,}"),
        ("started", second(conversation.started_at)),
        ("active", second(conversation.active_at)),
        ("closed", second(conversation.closed_at)),
        ("summary", conversation.summary),
        ("branch of", conversation.parent),
        ("metadata", json_text(conversation.metadata)),
    )
    return grid(fields)


@row.register
def _conversation_row(conversation: Conversation, _at: datetime | None) -> Row:
    return {
        "id": cell(conversation.short_id, "dim"),
        "when": cell(second(conversation.active_at)),
        "status": Text(conversation.status, _STATUS_STYLES[conversation.status]),
        "channel": cell(conversation.channel, "cyan"),
        "messages": cell(f"{conversation.messages:,}"),
        "summary": cell(conversation.summary),
        "scope": scope_cell(conversation.scope),
    }


@view.register
def _transcript_view(transcript: Transcript, at: datetime | None) -> RenderableType:
    parts: list[RenderableType] = [view(transcript.conversation, at), ""]
    for each in transcript.compactions:
        covered = f"{each.first:,}–{each.last:,}"
        parts.append(Text.assemble((f"{covered} in short: ", "dim"), safe_lines(each.summary)))
    if transcript.omitted:
        parts.append(Text(f"… and {transcript.omitted:,} more …", "dim"))
    return Group(*parts, *(_content(message) for message in transcript.messages))


@view.register
def _message_view(message: Message, _at: datetime | None) -> RenderableType:
    fields: Fields = (
        ("id", message.id),
        ("conversation", message.conversation),
        ("said", second(message.said_at)),
        ("key", message.key),
        ("copy of", message.copy_of),
        ("undone", second(message.undone_at)),
        ("metadata", json_text(message.metadata)),
    )
    return Group(_content(message), "", grid(fields))


@row.register
def _message_row(message: Message, _at: datetime | None) -> Row:
    return {
        "id": cell(message.short_id, "dim"),
        "when": cell(second(message.said_at)),
        "role": Text(message.role, _ROLE_STYLES[message.role]),
        "message": cell(message.content),
    }


def _content(message: Message) -> Text:
    role = (f"{message.role}: ", _ROLE_STYLES[message.role])
    return Text.assemble(role, safe_lines(message.content))


@view.register
def _stats_view(stats: ConversationStats, _at: datetime | None) -> RenderableType:
    roles = ", ".join(f"{count:,} {role}" for role, count in stats.roles.items())
    fields: Fields = (
        ("active", Text(f"{stats.active:,}", "bold green")),
        ("idle", f"{stats.idle:,}"),
        ("closed", f"{stats.closed:,}"),
        ("deleted", f"{stats.deleted:,}"),
        ("messages", f"{stats.messages:,}  ({roles})" if roles else "0"),
    )
    return grid(fields)


@row.register
def _session_row(session: ExternalSession, _at: datetime | None) -> Row:
    return {
        "channel": cell(session.channel, "cyan"),
        "session": cell(session.session_id),
        "when": cell(second(session.set_at)),
        "scope": scope_cell(session.scope),
    }


@row.register
def _identity_row(identity: Identity, _at: datetime | None) -> Row:
    return {
        "alias": cell(identity.alias, "cyan"),
        "person": cell(identity.person, "bold"),
        "when": cell(second(identity.linked_at)),
        "scope": scope_cell(identity.scope),
    }
