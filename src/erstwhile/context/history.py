"""The current conversation in a context: its last messages, and summaries of those before."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from erstwhile.conversations.conversation import Compaction, Conversation, Message
from erstwhile.conversations.messages import compactions_of, last_messages
from erstwhile.core.page import NEWEST
from erstwhile.storage.view import View

_PAGE = 50
_LONGEST_TOKEN = 8
"""The characters of a token, at most, when it is estimated how many messages may fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The last messages of a conversation, as many as may fit, and the stored summaries.

    A summary is used only for messages that do not fit: with more room they are there again.
    """

    conversation: Conversation
    messages: Sequence[Message]
    compactions: Sequence[Compaction]

    @property
    def covered(self) -> int:
        """The last position that a summary covers."""
        return self.compactions[-1].last if self.compactions else 0

    def has_uncovered(self, shown: Collection[str]) -> bool:
        """Return whether a message is neither shown nor covered by a stored summary."""
        first = self.messages[0].position if self.messages else 0
        unread = len(self.messages) < self.conversation.messages
        return (unread and first > self.covered + 1) or any(
            each.position > self.covered and each.id not in shown for each in self.messages
        )

    def needs(self, summary: Compaction, shown: Collection[str]) -> bool:
        """Return whether a summary stands for a message that is not shown."""
        inside = [
            each.id in shown
            for each in self.messages
            if summary.first <= each.position <= summary.last
        ]
        unread = len(self.messages) < self.conversation.messages
        return not all(inside) or (unread and summary.first < self.messages[0].position)

    def omitted(self, shown: Collection[str]) -> int:
        """Count the messages that are neither quoted nor summarised."""
        covered = [each for each in self.compactions if each.id in shown]
        read = [
            each
            for each in self.messages
            if each.id not in shown
            if not any(part.first <= each.position <= part.last for part in covered)
        ]
        return len(read) + self._unread(covered)

    def _unread(self, covered: Sequence[Compaction]) -> int:
        """Count the messages that were not read, without those that summaries cover."""
        first = self.messages[0].position if self.messages else NEWEST
        inside = sum(min(each.last + 1, first) - min(each.first, first) for each in covered)
        return max(self.conversation.messages - len(self.messages) - inside, 0)


def read_history(view: View, conversation: Conversation, tokens: int) -> History:
    """Read the last messages until there are more than could fit."""
    messages: list[Message] = []
    before, characters = NEWEST, 0
    while characters <= tokens * _LONGEST_TOKEN:
        page = last_messages(view, conversation.id, limit=_PAGE, before=before)
        messages[:0] = page
        if len(page) < _PAGE:
            break
        before = page[0].position
        characters += sum(len(each.content) for each in page)
    return History(
        conversation=conversation,
        messages=messages,
        compactions=compactions_of(view, conversation.id),
    )
