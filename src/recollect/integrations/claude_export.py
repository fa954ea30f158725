"""Claude's export: a conversation is a list of messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.integrations.chat_parts import UnreadableError, moment, role, text
from recollect.model.chat import Chat, ChatMessage


def chat(item: Mapping[str, Any]) -> Chat:
    name, said = item.get("uuid"), item["chat_messages"]
    if not isinstance(name, str) or not isinstance(said, list):
        raise UnreadableError("it has no id or no messages")
    messages = (_message(each, number) for number, each in enumerate(said, 1))
    return Chat(name=f"claude:{name}", messages=tuple(filter(None, messages)))


def _message(said: Any, number: int) -> ChatMessage | None:
    """None for one that holds nothing but what is no text, such as a file."""
    if not isinstance(said, dict):
        raise UnreadableError(f"its message {number} is not a JSON object")
    spoken = said.get("text") or [
        part for part in said.get("content") or () if isinstance(part, dict) and part.get("text")
    ]
    if not spoken:
        return None
    return ChatMessage(
        id=str(said.get("uuid") or number),
        role=role(said.get("sender")),
        content=text(spoken),
        at=moment(said.get("created_at")),
    )
