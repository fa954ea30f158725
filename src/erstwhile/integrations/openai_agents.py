"""OpenAI Agents SDK: a session in a memory.

session = ErstwhileSession("chat-1", erstwhile.open("agent.db").scoped(user="ana"))
await Runner.run(agent, "Hello", session=session)
"""

from __future__ import annotations

import asyncio
from typing import Any

from agents.memory import SessionSettings

from erstwhile.integrations.chat_items import ChatItems
from erstwhile.memory import Memory


class ErstwhileSession:
    """The items of one session; what the user says in them is learned in the background."""

    def __init__(
        self,
        session_id: str,
        memory: Memory,
        *,
        learn: bool = True,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._items = ChatItems(memory, f"openai-agents:{session_id}", learn=learn)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the items, oldest first: all, or the last `limit`."""
        most = self.session_settings.limit if limit is None else limit
        return await asyncio.to_thread(self._items.all, most)

    async def add_items(self, items: list[Any]) -> None:
        await asyncio.to_thread(self._items.add, [dict(item) for item in items])

    async def pop_item(self) -> Any | None:
        return await asyncio.to_thread(self._items.pop)

    async def clear_session(self) -> None:
        """Hide all items. A person can restore the conversation."""
        await asyncio.to_thread(self._items.clear)
