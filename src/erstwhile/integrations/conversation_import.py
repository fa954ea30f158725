"""Store conversations from other programs in a memory: complete, and only once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from erstwhile.conversations.conversation import Message, Role
from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.core.results import all_items

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_MAX_LABEL = 120
_NAME_TAKEN = (
    "another conversation has this name already: rename the file, or give each line a "
    "`conversation`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedMessage:
    """A message of another program; `id` is its id there."""

    id: str
    role: Role
    content: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedConversation:
    """A conversation from a file; its `name` is unique."""

    name: str
    messages: tuple[ImportedMessage, ...]

    @property
    def channel(self) -> str:
        """A channel for this conversation alone, so that a second import finds the conversation."""
        return _label(self.name)

    def key(self, message: ImportedMessage) -> str:
        """Return the idempotency key of a message, so that a repeated import stores it once."""
        return _label(f"{self.name}#{message.id}")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadablePart:
    """A place in a file that could not be read, and the reason; its conversation is skipped."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """The result of importing one file."""

    conversations: tuple[str, ...]
    """The ids of all conversations of the file, new or stored before, the oldest first."""
    messages: int
    """The number of new messages."""
    known: int
    """The number of messages that an earlier import stored."""
    left_out: tuple[UnreadablePart, ...]


def import_conversations(
    memory: Memory,
    conversations: Sequence[ImportedConversation],
    left_out: Sequence[UnreadablePart] = (),
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> ImportResult:
    """Store conversations, the oldest first. Messages that are stored already stay unchanged."""
    before = memory.conversations.stats().messages
    stored: list[list[Message]] = []
    skipped = list(left_out)
    for number, conversation in enumerate(sorted(conversations, key=_started_at), 1):
        try:
            stored.append(_store(memory, conversation))
        except ConflictError:
            skipped.append(UnreadablePart(place=conversation.name, reason=_NAME_TAKEN))
        except InvalidInputError as error:
            skipped.append(UnreadablePart(place=conversation.name, reason=str(error)))
        progress(number, len(conversations))
    new = memory.conversations.stats().messages - before
    return ImportResult(
        conversations=tuple(messages[0].conversation for messages in stored),
        messages=new,
        known=sum(map(len, stored)) - new,
        left_out=tuple(skipped),
    )


def preview_conversations(
    memory: Memory,
    conversations: Sequence[ImportedConversation],
    left_out: Sequence[UnreadablePart] = (),
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> ImportResult:
    """Return what storing these conversations would do. The conversations have their names."""
    known = 0
    for number, conversation in enumerate(conversations, 1):
        talks = memory.conversations.list(channel=conversation.channel, limit=1)
        messages = memory.conversations.messages
        stored = {message.key for talk in talks for message in all_items(messages, talk.id)}
        known += sum(conversation.key(message) in stored for message in conversation.messages)
        progress(number, len(conversations))
    return ImportResult(
        conversations=tuple(each.name for each in sorted(conversations, key=_started_at)),
        messages=sum(len(each.messages) for each in conversations) - known,
        known=known,
        left_out=tuple(left_out),
    )


def _started_at(conversation: ImportedConversation) -> datetime:
    """Return the time of the first message.

    Exports begin with the newest conversation, but learning must see the oldest first.
    """
    times = [message.at for message in conversation.messages if message.at is not None]
    return min(times, default=datetime.max.replace(tzinfo=UTC))


def _store(memory: Memory, conversation: ImportedConversation) -> list[Message]:
    messages = [
        {
            "role": message.role,
            "content": message.content,
            "said_at": message.at,
            "key": conversation.key(message),
        }
        for message in conversation.messages
    ]
    return memory.conversations.add_many(messages, channel=conversation.channel)


def _label(name: str) -> str:
    if len(name) <= _MAX_LABEL and name.isprintable():
        return name
    return f"imported:{sha256(name.encode('utf-8', 'replace')).hexdigest()[:32]}"
