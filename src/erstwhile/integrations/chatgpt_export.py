"""ChatGPT's export: a conversation is a tree of messages, of which the branch in use is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from erstwhile.conversations.imported_chat import Chat, ChatMessage
from erstwhile.integrations.chat_parts import UnreadableError, fields, message

_SPOKEN = ("text", "multimodal_text", "code", "execution_output", "tether_quote")
"""Contents that were said; others, such as a user's standing context, are put in by the program."""


def chat(item: Mapping[str, Any]) -> Chat:
    name = item.get("conversation_id") or item.get("id")
    if not isinstance(item["mapping"], dict) or not isinstance(name, str):
        raise UnreadableError("it has no id or no messages")
    branch = list(_branch(item["mapping"], item.get("current_node")))
    messages = (_message(id, node) for id, node in reversed(branch))
    return Chat(name=f"chatgpt:{name}", messages=tuple(filter(None, messages)))


def _branch(nodes: Mapping[str, Any], last: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """From the last message back to the root; each node once, whatever the file says."""
    left = dict(nodes)
    at = last if last in left else next(reversed(left), None)
    while isinstance(at, str) and isinstance(node := left.pop(at, None), dict):
        yield at, node
        at = node.get("parent")


def _message(id: str, node: Mapping[str, Any]) -> ChatMessage | None:
    """None for what is only a joint of the tree, or hidden, or empty."""
    said = fields(node.get("message"))
    content = fields(said.get("content"))
    if not content or _is_hidden(said, content):
        return None
    author = fields(said.get("author"))
    spoken = content.get("parts") or content.get("text")
    return message(id, author.get("role"), spoken, said.get("create_time"))


def _is_hidden(said: Mapping[str, Any], content: Mapping[str, Any]) -> bool:
    noted = fields(said.get("metadata"))
    hidden = bool(noted.get("is_visually_hidden_from_conversation"))
    return hidden or content.get("content_type") not in _SPOKEN
