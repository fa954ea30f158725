"""Conversations, messages, summaries and external sessions, and the checks of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.kinds import choice
from erstwhile.core.public_record import PublicRecord, public_record, tuple_to_dict
from erstwhile.core.scope import Scope
from erstwhile.core.text import checked_id, checked_label, checked_metadata, checked_text
from erstwhile.core.time import Moment, parse_moment
from erstwhile.secrets.masking import masked_repr
from erstwhile.storage.record import IdRecord

CHANNEL = "default"
"""The channel of an agent that has only one channel."""
MAX_CONTENT = 1_000_000
MAX_SUMMARY = 100_000
MAX_SESSION_ID = 1_000
_FIELDS = frozenset({"role", "content", "metadata", "said_at", "key"})


class Role(StrEnum):
    """The author of a message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class ConversationStatus(StrEnum):
    """The life cycle of a conversation; `idle` is open, but without messages for too long."""

    ACTIVE = "active"
    IDLE = "idle"
    CLOSED = "closed"


@public_record
class Conversation(IdRecord):
    """A conversation. `messages` counts the messages that were not undone."""

    _shown = ("short_id", "channel", "status", "messages", "summary")
    id: str
    scope: Scope
    channel: str
    status: ConversationStatus = ConversationStatus.ACTIVE
    started_at: datetime
    active_at: datetime
    messages: int = 0
    summary: str | None = None
    closed_at: datetime | None = None
    parent: str | None = None
    branched_at: str | None = None
    metadata: Mapping[str, Any] = field(hash=False)
    deleted_at: datetime | None = None

    @property
    def searched(self) -> str:
        """The text in the search index: the summary."""
        return self.summary or ""

    @property
    def timestamp(self) -> datetime:
        """The time of its last message."""
        return self.active_at


@public_record
class Message(IdRecord):
    """A message. `position` is its place in the conversation, independent of its time."""

    _shown = ("short_id", "role", "content")
    id: str
    scope: Scope
    conversation: str
    position: int = 0
    role: Role
    content: str
    said_at: datetime
    metadata: Mapping[str, Any] = field(hash=False)
    key: str | None = None
    copy_of: str | None = None
    undone_at: datetime | None = None

    @property
    def searched(self) -> str:
        """The text in the search index."""
        return self.content

    @property
    def timestamp(self) -> datetime:
        """The time at which it was said."""
        return self.said_at


@masked_repr
class Exchange(NamedTuple):
    """The message of a user, and the answer."""

    user: Message
    assistant: Message

    def to_dict(self, at: datetime | None = None) -> dict[str, Any]:
        """Return its fields in the types of JSON."""
        return tuple_to_dict(self, at)


@public_record
class Compaction(PublicRecord):
    """A summary of the messages from position `first` to `last`."""

    id: str
    scope: Scope
    conversation: str
    first: int
    last: int
    summary: str
    created_at: datetime
    of_tools: bool
    """Whether a tool spoke in those messages: then the summary may repeat it."""


@public_record
class Transcript(PublicRecord):
    """A conversation for a prompt: summaries of its beginning, then its last messages, in order.

    `omitted` counts the messages between both: no summary covers them, and the limit left them out.
    """

    conversation: Conversation
    compactions: tuple[Compaction, ...]
    omitted: int
    messages: tuple[Message, ...]


@public_record
class ConversationStats(PublicRecord):
    """Counts of the visible conversations, and of the messages in conversations not deleted."""

    active: int
    idle: int
    closed: int
    deleted: int
    messages: int
    roles: Mapping[str, int] = field(hash=False)


@public_record
class ExternalSession(IdRecord):
    """The id that another program gave to its session, kept per channel and scope."""

    id: str
    scope: Scope
    channel: str
    session_id: str
    set_at: datetime


class MessageDraft(NamedTuple):
    """The checked fields of a new message."""

    role: Role
    content: str
    metadata: Mapping[str, Any]
    said_at: datetime | None
    key: str | None


LEARN_TO = "learn_to"
"""The metadata field with the dimensions of the scope in which the facts of a turn are stored."""


def draft_message(
    role: Role | str,
    content: str | None,
    *,
    metadata: Mapping[str, Any] | None,
    said_at: Moment | None,
    key: str | None,
    now: datetime,
) -> MessageDraft:
    """Check the fields of a new message."""
    if metadata and isinstance(metadata, Mapping) and LEARN_TO in metadata:
        raise InvalidInputError(
            f"the metadata field {LEARN_TO!r} is reserved",
            remedy=f"leave it out, or pass {LEARN_TO} to `observe_turn`",
        )
    return MessageDraft(
        role=choice(Role, role, name="role"),
        content=_checked_content(content),
        metadata=checked_metadata(metadata),
        said_at=None if said_at is None else parse_moment(said_at, now=now, name="said_at"),
        key=None if key is None else checked_id(key, name="key"),
    )


def draft_from_mapping(message: Mapping[str, Any], *, now: datetime) -> MessageDraft:
    """Check a new message that is given as a mapping."""
    if not isinstance(message, Mapping) or not {"role", "content"} <= set(message) <= _FIELDS:
        raise InvalidInputError(
            f"not a message: {message!r}"[:200], remedy="use " + ", ".join(sorted(_FIELDS))
        )
    fields = {"metadata": None, "said_at": None, "key": None, **message}
    return draft_message(**fields, now=now)


def checked_summary(summary: str) -> str:
    return checked_text(summary, name="summary", limit=MAX_SUMMARY)


def checked_channel(channel: str) -> str:
    return checked_label(channel, name="channel")


def resolve_channel(conversation: str | None, channel: str | None) -> str:
    """Return the channel of a call that takes a conversation or a channel, but not both."""
    if conversation is not None and channel is not None:
        raise InvalidInputError(
            "conversation and channel are both given",
            remedy="give only the conversation: it has a channel",
        )
    return CHANNEL if channel is None else checked_channel(channel)


def _checked_content(content: str | None) -> str:
    """Check a content. It is empty if a model only calls tools, or a user only sends a picture."""
    if content is None or (isinstance(content, str) and not content.strip()):
        return ""
    return checked_text(content, name="content", limit=MAX_CONTENT)
