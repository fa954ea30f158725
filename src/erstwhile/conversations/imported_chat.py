"""A conversation that was held elsewhere, on its way in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from erstwhile.conversations.conversation import Role

_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """Something that was said there; `id` is what it is called there."""

    id: str
    role: Role
    content: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A conversation from a file; `name` tells it apart from all others."""

    name: str
    messages: tuple[ChatMessage, ...]

    @property
    def channel(self) -> str:
        """Where it is kept: each in a channel of its own, which importing it again finds."""
        return _label(self.name)

    def key(self, message: ChatMessage) -> str:
        """Names the message, so that it is stored once however often it is imported."""
        return _label(f"{self.name}#{message.id}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoilt:
    """A place in a file that could not be read, and why; its conversation is left out."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What came of importing a file."""

    chats: int
    """Conversations that are stored now, new or not."""
    messages: int
    """Messages that were not stored before."""
    known: int
    """Messages that were."""
    left_out: tuple[Spoilt, ...]
    conversations: tuple[str, ...]
    """Ids of the conversations, the oldest first."""


def _label(name: str) -> str:
    if len(name) <= _LONGEST_NAME and name.isprintable():
        return name
    return f"chat:{sha256(name.encode('utf-8', 'replace')).hexdigest()[:32]}"
