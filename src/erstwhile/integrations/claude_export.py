"""Claude's export: a conversation is a list of messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from erstwhile.conversations.imported_chat import Chat, ChatMessage
from erstwhile.integrations.chat_parts import UnreadableError, message


def chat(item: Mapping[str, Any]) -> Chat:
    name, said = item.get("uuid"), item["chat_messages"]
    if not isinstance(name, str) or not isinstance(said, list):
        raise UnreadableError("it has no id or no messages")
    messages = (_message(each, number) for number, each in enumerate(said, 1))
    return Chat(name=f"claude:{name}", messages=tuple(filter(None, messages)))


def _message(said: Any, number: int) -> ChatMessage | None:
    if not isinstance(said, dict):
        raise UnreadableError(f"its message {number} is not a JSON object")
    spoken = said.get("text") or said.get("content")
    id = str(said.get("uuid") or number)
    return message(id, said.get("sender"), spoken, said.get("created_at"))
