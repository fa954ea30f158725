"""Strands Agents: a store for the memory manager.

Agent(memory_manager=MemoryManager(stores=[ErstwhileMemoryStore(memory)]))
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any
from uuid import uuid4

from strands.memory.types import AddMessagesContext, MemoryEntry, MemoryStore, SearchOptions

from erstwhile.conversations.conversation import Role
from erstwhile.integrations.chat_items import ChatItems, role_and_text
from erstwhile.integrations.run_memory import found, raising
from erstwhile.memory import Memory

_FOUND = 10


class ErstwhileMemoryStore(MemoryStore):
    """A store that finds facts and messages, keeps what an agent adds, and learns from messages.

    What an agent adds has the origin `agent`; the guard judges it. With `extraction=True`, messages
    are stored and learned from here, without a call of the agent's model.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        name: str = "erstwhile",
        description: str | None = None,
        max_search_results: int | None = None,
        writable: bool = True,
        extraction: Any = None,
    ) -> None:
        self._memory, self._run = memory, uuid4().hex
        self.name, self.description = name, description
        self.max_search_results = _checked_limit(max_search_results)
        self.writable, self.extraction = writable, extraction

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """Return the facts and messages that fit a query, best first."""
        asked = _checked_limit((options or {}).get("max_search_results"))
        limit = asked or self.max_search_results or _FOUND
        with raising(ValueError):
            hits = await asyncio.to_thread(found, self._memory, query, limit)
        return [
            MemoryEntry(
                text,
                metadata={
                    "id": hit.record.id,
                    "kind": str(hit.kind),
                    "relevance": hit.relevance,
                    "recorded_at": hit.record.timestamp.isoformat(),
                },
            )
            for hit, text in hits
        ]

    async def add(self, content: str, metadata: Mapping[str, Any] | None = None) -> str:
        """Store a fact and return its id; a repeat adds evidence to the stored one."""
        self._check_writable()
        agent = self._memory.acting_as(person=False)
        with raising(ValueError):
            fact = await asyncio.to_thread(
                agent.remember, content, origin="agent", metadata=metadata
            )
        return fact.id

    async def add_messages(
        self, messages: Sequence[Any], context: AddMessagesContext | None = None
    ) -> None:
        """Store messages once, and learn from them in the background."""
        self._check_writable()
        numbers = (context and context.sequence_numbers) or [None] * len(messages)
        items = [
            {"number": number, "message": dict(each)}
            for number, each in zip(numbers, messages, strict=True)
        ]
        channel = f"strands:{self.name}"
        chat = ChatItems(self._memory, channel, learn=True, read=_role_and_text, key=self._key)
        with raising(ValueError):
            await asyncio.to_thread(chat.add, items)

    def _key(self, item: Mapping[str, Any]) -> str | None:
        """Return the key of an item: its number and message, in this process."""
        if item["number"] is None:
            return None
        return sha256(f"{self._run} {json.dumps(item, sort_keys=True)}".encode()).hexdigest()

    def _check_writable(self) -> None:
        if not self.writable:
            raise ValueError(f"the memory store {self.name!r} is not writable: pass writable=True")


def _checked_limit(limit: int | None) -> int | None:
    if limit is not None and limit < 1:
        raise ValueError(f"max_search_results must be at least 1, not {limit}")
    return limit


def _role_and_text(item: Mapping[str, Any]) -> tuple[Role, str]:
    return role_and_text(item["message"])
