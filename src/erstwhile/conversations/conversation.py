"""What was said: conversations on a channel, their messages, and summaries of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ids import short_id
from erstwhile.core.kinds import choice
from erstwhile.core.metadata import checked_metadata
from erstwhile.core.scope import Scope
from erstwhile.core.text import checked_id, checked_label, checked_text
from erstwhile.core.time import Moment, parse_moment

CHANNEL = "default"
"""The channel of an agent that has only one."""
MAX_CONTENT = 1_000_000
MAX_SUMMARY = 100_000
_FIELDS = frozenset({"role", "content", "metadata", "said_at", "key"})


class Role(StrEnum):
    """Who speaks in a message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class ConversationStatus(StrEnum):
    """Where a conversation stands: `idle` is one that is open and was left alone for too long."""

    ACTIVE = "active"
    IDLE = "idle"
    CLOSED = "closed"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation as it stood when it was read; `messages` counts those not undone."""

    id: str
    scope: Scope
    channel: str
    status: ConversationStatus
    started_at: datetime
    active_at: datetime
    messages: int
    summary: str | None
    closed_at: datetime | None
    parent: str | None
    branched_at: str | None
    metadata: Mapping[str, Any] = field(hash=False)
    deleted_at: datetime | None

    @property
    def short_id(self) -> str:
        return short_id(self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Something said. `position` is its place in the conversation, whatever the clock said."""

    id: str
    scope: Scope
    conversation: str
    position: int
    role: Role
    content: str
    said_at: datetime
    metadata: Mapping[str, Any] = field(hash=False)
    key: str | None
    copy_of: str | None
    undone_at: datetime | None

    @property
    def short_id(self) -> str:
        return short_id(self.id)


class Exchange(NamedTuple):
    """What a user said, and the answer."""

    user: Message
    assistant: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageHit:
    """A message that was found, and the part of it that shows why."""

    message: Message
    snippet: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """A summary that stands for the messages from position `first` to `last`."""

    id: str
    scope: Scope
    conversation: str
    first: int
    last: int
    summary: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A conversation for a prompt: summaries of its beginning, then messages, in their order.

    `omitted` counts messages between the two that neither a summary covers nor the limit let in.
    """

    conversation: Conversation
    compactions: tuple[Compaction, ...]
    omitted: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationStats:
    """Counts of the visible conversations and of the messages in those not deleted."""

    active: int
    idle: int
    closed: int
    deleted: int
    messages: int
    roles: Mapping[str, int] = field(hash=False)


class Said(NamedTuple):
    """A checked message on its way in."""

    role: Role
    content: str
    metadata: Mapping[str, Any]
    said_at: datetime | None
    key: str | None


def said(
    role: Role | str,
    content: str,
    *,
    metadata: Mapping[str, Any] | None,
    said_at: Moment | None,
    key: str | None,
    now: datetime,
) -> Said:
    """Check everything a caller says of a new message."""
    checked = checked_metadata(metadata)
    return Said(
        role=choice(Role, role, name="role"),
        content=_content(content, blank_allowed=bool(checked)),
        metadata=checked,
        said_at=None if said_at is None else parse_moment(said_at, now=now, name="said_at"),
        key=None if key is None else checked_id(key, name="key"),
    )


def to_said(message: Mapping[str, Any], *, now: datetime) -> Said:
    """One of several messages: a mapping with what there is to say of it."""
    if not isinstance(message, Mapping) or not {"role", "content"} <= set(message) <= _FIELDS:
        raise InvalidInputError(
            f"not a message: {message!r}"[:200], remedy="use " + ", ".join(sorted(_FIELDS))
        )
    return said(**{"metadata": None, "said_at": None, "key": None, **message}, now=now)


def checked_summary(summary: str) -> str:
    return checked_text(summary, name="summary", limit=MAX_SUMMARY)


def checked_channel(channel: str) -> str:
    return checked_label(channel, name="channel")


def chosen_channel(conversation: str | None, channel: str | None) -> str:
    """The channel that is meant where a conversation or a channel may be named, and not both."""
    if conversation is not None and channel is not None:
        raise InvalidInputError(
            "both a conversation and a channel are named", remedy="a conversation has a channel"
        )
    return CHANNEL if channel is None else checked_channel(channel)


def checked_count(count: int) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InvalidInputError(f"count must be 1 or more, not {count!r}")
    return count


def _content(content: str, *, blank_allowed: bool) -> str:
    """A call of a tool may say nothing: then its metadata must."""
    if content == "" and blank_allowed:
        return content
    return checked_text(content, name="content", limit=MAX_CONTENT)
