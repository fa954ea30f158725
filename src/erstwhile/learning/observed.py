"""A turn as it was observed: the messages that were stored, and what was learned if one waited."""

from __future__ import annotations

from dataclasses import dataclass

from erstwhile.conversations.conversation import Message
from erstwhile.learning.attempt import Attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What the user said, what tools returned, and the answer."""

    user: Message
    tools: tuple[Message, ...]
    assistant: Message
    attempts: tuple[Attempt, ...] = ()
    """What learning made of it; empty unless it was waited for."""

    @property
    def conversation(self) -> str:
        """The id of the conversation that it belongs to."""
        return self.user.conversation
