"""Bringing conversations that were held elsewhere into a memory: each whole, and each once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from erstwhile.conversations.conversation import Message
from erstwhile.conversations.imported_chat import Chat, Imported, Spoilt
from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.memory import Memory

_ANOTHER = (
    "another conversation of this name is here: rename the file, or say `conversation` in its lines"
)


def import_chats(
    memory: Memory,
    chats: Sequence[Chat],
    left_out: Sequence[Spoilt] = (),
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Imported:
    """Store conversations, the oldest first. What is there already, by its name, is left alone."""
    before = memory.conversations.stats().messages
    stored: list[list[Message]] = []
    spoilt = list(left_out)
    for number, chat in enumerate(sorted(chats, key=_begun_at), 1):
        try:
            stored.append(_store(memory, chat))
        except ConflictError:
            spoilt.append(Spoilt(place=chat.name, reason=_ANOTHER))
        except InvalidInputError as error:
            spoilt.append(Spoilt(place=chat.name, reason=str(error)))
        progress(number, len(chats))
    new = memory.conversations.stats().messages - before
    return Imported(
        chats=len(stored),
        messages=new,
        known=sum(map(len, stored)) - new,
        left_out=tuple(spoilt),
        conversations=tuple(messages[0].conversation for messages in stored),
    )


def _begun_at(chat: Chat) -> datetime:
    """Exports begin with the newest, and learning goes by what was said last."""
    said = [message.at for message in chat.messages if message.at is not None]
    return min(said, default=datetime.max.replace(tzinfo=UTC))


def _store(memory: Memory, chat: Chat) -> list[Message]:
    said = [
        {
            "role": message.role,
            "content": message.content,
            "said_at": message.at,
            "key": chat.key(message),
        }
        for message in chat.messages
    ]
    return memory.conversations.add_many(said, channel=chat.channel)
