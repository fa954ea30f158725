"""How far learning has come in a conversation, and whose turn it is to go on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from erstwhile.conversations.conversation import Message
from erstwhile.core.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A conversation with messages to learn from: those after `learned`, up to `wanted`."""

    conversation: str
    scope: Scope
    learned: int
    wanted: int
    tries: int
    """How often the next turn has failed already."""
    try_at: datetime | None
    """Before when it is not tried again."""
    holder: str | None
    """Who is at it,"""
    leased_until: datetime | None
    """and until when nobody else is."""
    with_model: bool = False
    """Whether whoever asked last has a language model: others leave it alone in the background."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningLease:
    """The right to learn from a conversation, alone, which the token shows."""

    conversation: str
    scope: Scope
    learned: int
    wanted: int
    tries: int
    holder: str
    token: str
    leased_until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingTurn:
    """The messages of the next turn: what a user said and what followed, as they were stored."""

    conversation: str
    scope: Scope
    messages: tuple[Message, ...]

    @property
    def first(self) -> int:
        return self.messages[0].position

    @property
    def last(self) -> int:
        return self.messages[-1].position

    @property
    def ids(self) -> tuple[str, ...]:
        """Of the messages; of a copy, that of the message it was copied from."""
        return tuple(message.copy_of or message.id for message in self.messages)
