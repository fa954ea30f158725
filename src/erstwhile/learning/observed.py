"""The result of observing a turn."""

from __future__ import annotations

from dataclasses import dataclass

from erstwhile.conversations.conversation import Message
from erstwhile.learning.attempt import Attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """The stored messages of the user, the tools and the assistant."""

    user: Message
    tools: tuple[Message, ...]
    assistant: Message
    attempts: tuple[Attempt, ...] = ()
    """The attempts to learn from the turn; empty unless the caller waited for them."""

    @property
    def conversation(self) -> str:
        """The id of the conversation."""
        return self.user.conversation
