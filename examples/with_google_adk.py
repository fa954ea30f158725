"""Google ADK: search the messages of an earlier session.

Prints:
    I drink green tea.
"""

import asyncio
from typing import Any

from google.adk.events.event import Event
from google.genai.types import Content, Part

import erstwhile
from erstwhile.integrations.adk import MemoryService, SessionService

memory = erstwhile.open(":memory:")


async def main() -> None:
    """Do what `Runner(…, session_service=…, memory_service=…)` does."""
    sessions, service = SessionService(memory), MemoryService(memory)
    ana: Any = {"app_name": "shop", "user_id": "ana"}
    session = await sessions.create_session(**ana)
    said = Content(role="user", parts=[Part(text="I drink green tea.")])
    await sessions.append_event(session, Event(author="user", content=said))
    await service.add_session_to_memory(session)
    found = await service.search_memory(**ana, query="Which tea?")
    print(found.memories[0].content.parts[0].text)


asyncio.run(main())
