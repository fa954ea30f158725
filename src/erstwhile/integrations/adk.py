"""Google ADK: a memory service.

In `services.yaml` beside the agent it is the class `erstwhile.integrations.adk.MemoryService` of
the scheme `erstwhile`; `adk web --memory_service_uri erstwhile:///agent.db` then uses it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai.types import Content, Part

from erstwhile.bootstrap import open as open_memory
from erstwhile.context.escaping import escaped
from erstwhile.core.errors import InvalidInputError
from erstwhile.integrations.chat_items import short_channel
from erstwhile.memory import Memory
from erstwhile.recall.hits import Hit

_FOUND = 10


class MemoryService(BaseMemoryService):
    """A memory of what was said in sessions, and of what was learned from it.

    Each user of each app has a scope of its own. An event is stored once. Found texts are escaped,
    so that none of them can end the block of the prompt in which ADK puts them.
    """

    def __init__(self, memory: Memory | None = None, *, uri: str | None = None, **_: Any) -> None:
        self._memory = memory or open_memory(_path(uri))

    async def add_session_to_memory(self, session: Session) -> None:
        """Store the new events of a session, and learn from them."""
        await self.add_events_to_memory(
            app_name=session.app_name,
            user_id=session.user_id,
            events=session.events,
            session_id=session.id,
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,  # noqa: ARG002 (has no meaning here)
    ) -> None:
        """Store the new ones of some events, and learn from them."""
        drafts = [draft for each in events if (draft := _draft(each))]
        memory = self._of(app_name, user_id)
        await asyncio.to_thread(_add, memory, drafts, short_channel(f"adk:{session_id}"))

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,  # noqa: ARG002
    ) -> None:
        """Store facts as words of an agent; the guard judges them."""
        memory = self._of(app_name, user_id).acting_as(person=False)
        for each in memories:
            if text := _text(each.content):
                await asyncio.to_thread(memory.remember, text, origin="agent")

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """Return the facts and messages that fit a query, best first."""
        memory = self._of(app_name, user_id)
        hits = await asyncio.to_thread(memory.recall, query, _FOUND, among=("facts", "messages"))
        return SearchMemoryResponse(memories=[_entry(hit) for hit in hits])

    def _of(self, app: str, user: str) -> Memory:
        return self._memory.scoped(user=f"{quote(app, safe='')}/{user}")


def _path(uri: str | None) -> str:
    """Return the path in an address: relative after three slashes, absolute after four."""
    parts = urlsplit(uri or "")
    if parts.netloc or len(parts.path) < 2:
        raise InvalidInputError(
            "the address names no file", remedy="pass a memory, or uri='erstwhile:///agent.db'"
        )
    return unquote(parts.path[1:])


def _add(memory: Memory, drafts: Sequence[Mapping[str, Any]], channel: str) -> None:
    stored = memory.conversations.add_many(drafts, channel=channel)
    for conversation in {each.conversation for each in stored}:
        memory.learn(conversation)


def _draft(event: Event) -> dict[str, Any] | None:
    text = _text(event.content)
    if not text:
        return None
    role = "user" if event.author == "user" else "assistant"
    said_at = datetime.fromtimestamp(event.timestamp, UTC)
    return {"role": role, "content": text, "key": event.id, "said_at": said_at}


def _text(content: Content | None) -> str:
    return "\n".join(part.text for part in (content and content.parts) or () if part.text)


def _entry(hit: Hit) -> MemoryEntry:
    record, author = hit.record, "memory"
    if hit.kind == "messages":
        author = str(hit.message.role)
    content = Content(role="user", parts=[Part(text=escaped(hit.passage.text))])
    when = record.timestamp.isoformat()
    return MemoryEntry(content=content, id=record.id, author=author, timestamp=when)
