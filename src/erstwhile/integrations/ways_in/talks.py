"""Conversations in databases of other programs: rows of messages with the id of a conversation."""

from __future__ import annotations

from collections.abc import Iterator

from erstwhile.conversations.conversation import Role
from erstwhile.integrations.conversation_import import ImportedConversation, ImportedMessage
from erstwhile.integrations.ways_in.files import ForeignDatabase, text_of, time_of


def conversations_in(
    database: ForeignDatabase, program: str, *, within: str, at: str
) -> Iterator[ImportedConversation]:
    """Yield what people and models said; `within` and `at` are columns of the table `messages`."""
    talks: dict[str, list[ImportedMessage]] = {}
    for row in database.rows("messages", "id", within, "role", "content"):
        if text_of(row["content"]) and row["role"] in (Role.USER, Role.ASSISTANT):
            message = ImportedMessage(
                id=str(row["id"]),
                role=Role(row["role"]),
                content=row["content"],
                at=time_of(row.get(at)),
            )
            talks.setdefault(str(row[within]), []).append(message)
    for id, messages in talks.items():
        yield ImportedConversation(name=f"{program}:{id}", messages=tuple(messages))
