"""The progress of learning in a conversation, and the lease for the next turn."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from erstwhile.conversations.conversation import Message
from erstwhile.core.background import BackgroundFailure
from erstwhile.core.scope import Scope
from erstwhile.secrets.masking import masked_repr
from erstwhile.usage.entry import UsageSummary


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A conversation with pending messages: the positions after `learned`, up to `wanted`."""

    conversation: str
    scope: Scope
    learned: int
    wanted: int
    tries: int
    """The number of failures of the next turn."""
    try_at: datetime | None
    """The earliest time of the next try."""
    holder: str | None
    """The process that has the lease."""
    leased_until: datetime | None
    """The end of the lease."""
    with_model: bool = False
    """Whether the last requester has a language model. Processes without a model then skip it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningLease:
    """The exclusive right to learn from a conversation; the token proves it."""

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
    """The stored messages of the next turn: from one message of the user up to the next."""

    conversation: str
    scope: Scope
    messages: tuple[Message, ...]
    before: tuple[Message, ...] = ()
    """The turn before, for the context. It was learned from already."""
    after_tools: bool = False
    """Whether a tool spoke in the conversation before all of these messages."""

    @property
    def first(self) -> int:
        return self.messages[0].position

    @property
    def last(self) -> int:
        return self.messages[-1].position

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the messages; of a copy, the id of the original."""
        return tuple(message.copy_of or message.id for message in self.messages)


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class LearningStatus:
    """The status of learning in this scope; for a memory without a scope, in all scopes."""

    model: str | None
    """The language model; None if only patterns are used, or if it cannot be created."""
    spent: UsageSummary
    """The spending today in UTC: in all scopes if this memory has none, else the visible part."""
    limit: str
    """The limit per day for all scopes together."""
    reached: str
    """The limit that is reached, so that only patterns are used until midnight; else empty."""
    waiting: int
    """The number of conversations that can be learned from now."""
    put_off: int
    """The number of conversations that are leased, or are tried again later."""
    next_try: datetime | None
    """The time when the first of the leased or delayed conversations is due; None without any."""
    failing: str | None
    """Why the newest attempt failed, or why the model cannot be created; else None."""
    left_alone_until: datetime | None
    """The time until which this process does not call the model, after several failures in a row.

    After this time, one call tries the model again. The value stays until a call succeeds. It is
    None if the model may be called.
    """
    background: tuple[BackgroundFailure, ...] = ()
    """The background jobs of this process that fail now (learning and others), in all scopes."""
