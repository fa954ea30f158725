"""Microsoft Agent Framework: providers of context and of history.

Agent(client, context_providers=[ErstwhileHistoryProvider(memory), ErstwhileProvider(memory)])
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from agent_framework import ContextProvider, HistoryProvider, Message, SessionContext

from erstwhile.conversations.conversation import Role
from erstwhile.core.settings import TOKENS
from erstwhile.integrations.chat_items import ChatItems, role_and_text
from erstwhile.integrations.run_memory import MemoryOfRun, RunMemory
from erstwhile.memory import Memory


class ErstwhileProvider(ContextProvider):
    """Adds the context to each run, and learns from it.

    `memory` is a memory, or a function that returns the one of a session, for agents with many
    users. If the memory fails, the run continues without it.
    """

    after_run_once_per_turn = True

    def __init__(
        self,
        memory: Memory | MemoryOfRun,
        *,
        source_id: str = "erstwhile",
        tokens: int = TOKENS,
        learn: bool = True,
    ) -> None:
        super().__init__(source_id)
        self._runs, self._learn = RunMemory(memory, tokens), learn

    async def before_run(self, *, session: Any, context: SessionContext, **_: Any) -> None:
        """Add the context as a message of its own before the input."""
        asked = "\n".join(each.text for each in context.input_messages if each.role == "user")
        text = await asyncio.to_thread(self._runs.context, session, asked)
        if text:
            context.extend_messages(self, [Message("user", [text])])

    async def after_run(self, *, session: Any, context: SessionContext, **_: Any) -> None:
        """Store the input and the answer, and learn from them in the background."""
        answer = context.response.messages if context.response else ()
        messages = [_role_and_content(each) for each in (*context.input_messages, *answer)]
        if self._learn:
            channel = f"agent-framework:{context.session_id}"
            await asyncio.to_thread(self._runs.observe, session, messages, channel)


class ErstwhileHistoryProvider(HistoryProvider):
    """Keeps the history of sessions; a repeated transcript adds nothing.

    With an `ErstwhileProvider` beside it, which learns, pass `learn=False`.
    """

    def __init__(
        self,
        memory: Memory,
        source_id: str = "erstwhile-history",
        *,
        learn: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(source_id, **options)
        self._memory, self._learns = memory, learn

    async def get_messages(
        self,
        session_id: str | None,
        *,
        state: dict[str, Any] | None = None,  # noqa: ARG002 (the memory is the state)
        **_: Any,
    ) -> list[Message]:
        """Return the messages of a session, oldest first."""
        items = await asyncio.to_thread(self._items(session_id).all)
        return [Message.from_dict(each) for each in items]

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Append the messages that the session does not have yet."""
        stored = await self.get_messages(session_id, state=state)
        ambiguous = bool(stored) and stored[-1].role == "user" and not stored[-1].message_id
        identities = [*map(_identity, stored)], [*map(_identity, messages)]
        new = messages[_count_stored(*identities, ambiguous=ambiguous) :]
        await asyncio.to_thread(self._items(session_id).add, [each.to_dict() for each in new])

    def _items(self, session: str | None) -> ChatItems:
        channel = f"agent-framework-history:{session}"
        return ChatItems(self._memory, channel, learn=self._learns, read=_role_and_text)


def _count_stored(stored: Sequence[Any], sent: Sequence[Any], *, ambiguous: bool) -> int:
    """Return how many of the first sent messages are stored already.

    A single message that is ambiguous, since somebody may have said it twice, does not count.
    """
    size = len(stored)
    within = [n + size for n in range(len(sent) - size + 1) if sent[n : n + size] == stored]
    common = [n for n in range(min(size, len(sent)), 0, -1) if stored[-n:] == sent[:n]]
    if ambiguous and within[:1] == [1]:
        within = []
    return next((n for n in (*within, *common) if n > 1 or not ambiguous), 0) if size else 0


def _identity(message: Message) -> Any:
    return message.message_id or message.to_dict()


def _role_and_content(message: Message) -> dict[str, str]:
    """Return the words of a message; results of tools stay words of a tool."""
    results = [str(each.result) for each in message.contents if each.type == "function_result"]
    return {"role": str(message.role), "content": message.text or "\n".join(results)}


def _role_and_text(item: Mapping[str, Any]) -> tuple[Role, str]:
    return role_and_text(_role_and_content(Message.from_dict(dict(item))))
