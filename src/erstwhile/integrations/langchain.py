"""LangChain: a middleware that gives an agent a memory, a chat history, and a retriever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import (
    BaseMessage,
    HumanMessage,
    convert_to_openai_messages,
    message_to_dict,
    messages_from_dict,
)
from langchain_core.retrievers import BaseRetriever
from langgraph.config import get_config
from langgraph.runtime import Runtime

from erstwhile.conversations.conversation import Role
from erstwhile.core.settings import TOKENS
from erstwhile.integrations.chat_items import ChatItems, role_and_text
from erstwhile.integrations.run_memory import MemoryOfRun, RunMemory, found, on_thread
from erstwhile.memory import Memory


class ErstwhileMiddleware(AgentMiddleware[Any, Any]):
    """Adds the context to each call of the model, and learns from each run of the agent.

    `memory` is a memory, or a function that returns the one of a run, for agents with many users.
    If the memory fails, the run continues without it.
    """

    def __init__(
        self, memory: Memory | MemoryOfRun, *, tokens: int = TOKENS, learn: bool = True
    ) -> None:
        super().__init__()
        self._runs, self._learn = RunMemory(memory, tokens), learn

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        """Add the context before the last words of the user, in this call only."""
        return handler(self._with_memory(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Add the context, as `wrap_model_call`."""
        return await handler(await asyncio.to_thread(self._with_memory, request))

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Store the new messages of the run, and learn from them in the background."""
        if self._learn:
            thread = get_config().get("configurable", {}).get("thread_id")
            channel = None if thread is None else f"langchain:{thread}"
            messages: Any = convert_to_openai_messages(state["messages"])
            self._runs.observe(runtime, messages, channel)

    aafter_agent = on_thread(after_agent)

    def _with_memory(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        messages = list(request.messages)
        asked = [n for n, each in enumerate(messages) if isinstance(each, HumanMessage)]
        text = asked and self._runs.context(request.runtime, str(messages[asked[-1]].text))
        if text:
            messages[asked[-1]] = _with_text_before(messages[asked[-1]], text)
        return request.override(messages=messages)


class ErstwhileChatHistory(BaseChatMessageHistory):
    """The messages of one session; what the user says in them is learned in the background."""

    def __init__(self, session_id: str, memory: Memory, *, learn: bool = True) -> None:
        self._items = ChatItems(
            memory, f"langchain-history:{session_id}", learn=learn, read=_read_stored
        )

    @property
    def messages(self) -> list[BaseMessage]:
        """The messages, oldest first."""
        messages: list[BaseMessage] = messages_from_dict(self._items.all())
        return messages

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        self._items.add(message_to_dict(each) for each in messages)

    def clear(self) -> None:
        """Hide all messages. A person can restore the conversation."""
        self._items.clear()


class ErstwhileRetriever(BaseRetriever):
    """Returns the facts and messages that fit a query, best first, as documents."""

    memory: Any
    k: int = 10

    def _get_relevant_documents(self, query: str, *, run_manager: Any, **options: Any) -> Any:
        """Return documents with the kind, the id and the relevance of the record as metadata."""
        del run_manager  # nothing happens below
        return [
            Document(
                text,
                id=hit.record.id,
                metadata={"kind": str(hit.kind), "relevance": hit.relevance},
            )
            for hit, text in found(self.memory, query, options.get("k", self.k))
        ]


def _read_stored(item: Mapping[str, Any]) -> tuple[Role, str]:
    [message] = messages_from_dict([dict(item)])
    read: Any = convert_to_openai_messages(message)
    return role_and_text(read)


def _with_text_before(message: Any, text: str) -> Any:
    content = message.content
    if isinstance(content, str):
        return message.model_copy(update={"content": f"{text}\n{content}"})
    return message.model_copy(update={"content": [{"type": "text", "text": text}, *content]})
