"""The items of another program's chat, stored as the messages of a conversation.

Each item comes back equal, but secrets in it are masked. Its text is the content of the message, so
that searching and learning work; the item itself is in the metadata, or in the content if it is
large.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from erstwhile.conversations.chat_messages import read_message
from erstwhile.conversations.conversation import Message, Role
from erstwhile.core.errors import ErstwhileError
from erstwhile.core.logs import log_failure
from erstwhile.core.results import all_items
from erstwhile.integrations.run_memory import short_channel
from erstwhile.memory import Memory

_ITEM = "item"
_LARGE = 40_000
"""Characters of JSON that fit into metadata."""
_LEARNER = ThreadPoolExecutor(1, "erstwhile-chat-items")
Reader = Callable[[Any], tuple[Role, str]]


class ChatItems:
    """The items of one session, in their order. An item with a known `key` is stored once."""

    def __init__(
        self,
        memory: Memory,
        channel: str,
        *,
        learn: bool,
        read: Reader | None = None,
        key: Callable[[Any], str | None] | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self._memory = memory
        self._key = key or (lambda _: None)
        self._channel = short_channel(channel)
        self._metadata = metadata
        self._learn = learn
        self._read = read or role_and_text

    def all(self, limit: int | None = None) -> list[Any]:
        """Return the items, oldest first: all, or the last ones."""
        if limit is not None and limit <= 0:
            return []
        return [_item_of(message) for message in self._stored_messages(limit)]

    def add(self, items: Iterable[Any]) -> str | None:
        """Append items, and learn from them in the background. Return their conversation."""
        drafts = [self._draft(item) for item in items]
        if not drafts:
            return None
        into = self._find() or self._start_conversation()
        stored = self._memory.conversations.add_many(drafts, conversation=into)
        if self._learn:
            _LEARNER.submit(self._learn_from, stored[-1].conversation)
        return stored[-1].conversation

    def replace(self, items: Iterable[Any]) -> None:
        """Replace all items, without learning from them again."""
        old, drafts = self._find(), [self._draft(item) for item in items]
        if drafts:
            self._memory.conversations.add_many(drafts, conversation=self._start_conversation())
        if old:
            self._memory.conversations.delete(old)

    def pop(self) -> Any | None:
        last = self._stored_messages(1)
        if not last:
            return None
        self._memory.conversations.undo(last[0].conversation, 1)
        return _item_of(last[0])

    def clear(self) -> None:
        """Hide the conversation; the next item starts another one."""
        if found := self._find():
            self._memory.conversations.delete(found)

    def _stored_messages(self, limit: int | None) -> list[Message]:
        found = self._find()
        if found is None:
            return []
        pages = self._memory.conversations.messages
        if limit is not None and limit <= 1_000:
            return list(pages(found, limit=limit))
        listed, page = list[Message](), pages(found, limit=1_000)
        while True:
            listed = [*page, *listed]
            if page.next is None:
                return listed[-limit:] if limit else listed
            page = pages(found, limit=1_000, cursor=page.next)

    def _find(self) -> str | None:
        listed = all_items(self._memory.conversations.list, channel=self._channel)
        scope = self._memory.scope
        return next((each.id for each in listed if each.scope == scope), None)

    def _start_conversation(self) -> str:
        return self._memory.conversations.start(self._channel, metadata=self._metadata).id

    def _draft(self, item: Any) -> dict[str, Any]:
        role, text = self._read(item)
        draft = {"role": role, "key": self._key(item)}
        if len(json.dumps(item)) > _LARGE:
            return {**draft, "content": json.dumps(item), "metadata": {_ITEM: None}}
        return {**draft, "content": text, "metadata": {_ITEM: item}}

    def _learn_from(self, conversation: str) -> None:
        try:
            self._memory.learn(conversation)
        except ErstwhileError as error:
            log_failure(__name__, "a session was not learned from", error=error)


def role_and_text(item: Mapping[str, Any]) -> tuple[Role, str]:
    """Return the author and the words of an item in the shape of OpenAI or Anthropic."""
    parts = list(read_message(item))
    if not parts:
        return Role.ASSISTANT, ""
    text = "\n".join(part.content for part in parts if part.role is parts[0].role)
    return parts[0].role, text


def _item_of(message: Message) -> Any:
    found = message.to_dict()["metadata"].get(_ITEM)
    return json.loads(message.content) if found is None else found
