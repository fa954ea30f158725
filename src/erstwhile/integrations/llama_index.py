"""LlamaIndex: a memory block and a chat store.

Memory.from_defaults(chat_store=ErstwhileChatStore(memory), memory_blocks=[ErstwhileBlock(memory)])
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import BaseMemoryBlock
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore, MessageStatus
from pydantic import PrivateAttr

from erstwhile.conversations.conversation import Role
from erstwhile.core.results import all_items
from erstwhile.core.settings import TOKENS
from erstwhile.integrations.chat_items import ChatItems, role_and_text
from erstwhile.integrations.run_memory import RunMemory
from erstwhile.memory import Memory

_KEY = "llama_index_key"


class ErstwhileBlock(BaseMemoryBlock[str]):
    """The context for the last words of the user; it learns from messages that leave the queue.

    The text is marked as data. If the memory fails, the chat continues without it.
    """

    name: str = "erstwhile"
    _runs: RunMemory = PrivateAttr()

    def __init__(self, memory: Memory, *, tokens: int = TOKENS, **fields: Any) -> None:
        super().__init__(**fields)
        self._runs = RunMemory(memory, tokens)

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        said = [each.content or "" for each in messages or () if each.role == "user"]
        return await asyncio.to_thread(self._runs.context, None, said[-1] if said else "")

    async def _aput(self, messages: list[ChatMessage]) -> None:
        session = next((each.additional_kwargs.get("session_id") for each in messages), None)
        said = [{"role": each.role.value, "content": each.content or ""} for each in messages]
        await asyncio.to_thread(self._runs.observe, None, said, f"llama-index:{session}")


class ErstwhileChatStore(AsyncDBChatStore):
    """The messages of chats; what the user says in them is learned in the background.

    Active and archived messages of a key are two conversations. What is deleted can be restored.
    """

    _memory: Memory = PrivateAttr()
    _learns: bool = PrivateAttr()

    def __init__(self, memory: Memory, *, learn: bool = True) -> None:
        super().__init__()
        self._memory, self._learns = memory, learn

    async def get_messages(
        self,
        key: str,
        status: MessageStatus | None = MessageStatus.ACTIVE,
        limit: int | None = None,
        offset: int | None = None,
    ) -> list[ChatMessage]:
        """Return messages of a key, oldest first."""
        found = await asyncio.to_thread(self._load, key, status)
        return found[offset or 0 :][:limit]

    async def count_messages(
        self, key: str, status: MessageStatus | None = MessageStatus.ACTIVE
    ) -> int:
        return len(await self.get_messages(key, status))

    async def add_message(
        self, key: str, message: ChatMessage, status: MessageStatus = MessageStatus.ACTIVE
    ) -> None:
        await self.add_messages(key, [message], status)

    async def add_messages(
        self, key: str, messages: list[ChatMessage], status: MessageStatus = MessageStatus.ACTIVE
    ) -> None:
        await asyncio.to_thread(self._items(key, status).add, [*map(_dump, messages)])

    async def set_messages(
        self, key: str, messages: list[ChatMessage], status: MessageStatus = MessageStatus.ACTIVE
    ) -> None:
        await self.delete_messages(key)
        await self.add_messages(key, messages, status)

    async def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Delete the active message at a place, counted from 0, and return it."""
        active = await self.get_messages(key)
        if not 0 <= idx < len(active):
            return None
        deleted = active.pop(idx)
        await asyncio.to_thread(self._replace, key, active)
        return deleted

    async def delete_messages(self, key: str, status: MessageStatus | None = None) -> None:
        for each in [status] if status else MessageStatus:
            await asyncio.to_thread(self._items(key, each).clear)

    async def delete_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Delete the oldest active messages of a key, and return them."""
        active = await self.get_messages(key)
        if active[:n]:
            await asyncio.to_thread(self._replace, key, active[n:])
        return active[:n]

    async def archive_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Archive the oldest active messages of a key, and return them."""
        active = await self.get_messages(key)
        await self.add_messages(key, active[:n], MessageStatus.ARCHIVED)
        if active[:n]:
            await asyncio.to_thread(self._replace, key, active[n:])
        return active[:n]

    async def get_keys(self) -> list[str]:
        return await asyncio.to_thread(self._keys)

    def _keys(self) -> list[str]:
        listed = all_items(self._memory.conversations.list)
        ours = [each for each in listed if each.scope == self._memory.scope and each.messages]
        return sorted({each.metadata[_KEY] for each in ours if _KEY in each.metadata})

    def _load(self, key: str, status: MessageStatus | None) -> list[ChatMessage]:
        """Return messages; archived ones are older than active ones."""
        statuses = [status] if status else [MessageStatus.ARCHIVED, MessageStatus.ACTIVE]
        items = [item for each in statuses for item in self._items(key, each).all()]
        return [ChatMessage.model_validate(each) for each in items]

    def _replace(self, key: str, active: list[ChatMessage]) -> None:
        self._items(key, MessageStatus.ACTIVE).replace(map(_dump, active))

    def _items(self, key: str, status: MessageStatus) -> ChatItems:
        return ChatItems(
            self._memory,
            f"llama-index-{status.value}:{key}",
            learn=self._learns and status is MessageStatus.ACTIVE,
            read=_role_and_text,
            metadata={_KEY: key},
        )


def _dump(message: ChatMessage) -> dict[str, Any]:
    dumped: dict[str, Any] = message.model_dump(mode="json")
    return dumped


def _role_and_text(item: Mapping[str, Any]) -> tuple[Role, str]:
    message = ChatMessage.model_validate(item)
    role = "assistant" if message.role in ("chatbot", "model") else message.role.value
    return role_and_text({"role": role, "content": message.content or ""})
